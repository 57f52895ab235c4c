#if Server && Window
import Rill
import RillCore
import RillThreads
import RillWindow

/// A window with one picture, for `rill watch --preview`.
///
/// Threads: `rill-window` opens the window, draws, and handles events. All methods may be called from any thread.
final class PreviewWindow: Sendable {
    /// What shows pictures in the window.
    let tile: Tile
    private let waker: Window.Waker
    private let state: Monitor<State>
    private let thread: NamedThread

    private struct State {
        var opened: Result<(tile: Tile, waker: Window.Waker), any Error>?
        var isClosing = false
        var isClosed = false
        var failure: (any Error)?
    }

    /// Opens the window.
    ///
    /// - Throws: ``CommandError`` if there is no screen; ``ThreadError``.
    init(_ name: String) throws {
        let state = Monitor(State())
        self.state = state
        thread = try NamedThread("rill-window") {
            do {
                let window = try Window("rill: \(name)", width: 960, height: 720)
                let tile = window.add(name)
                state.change { $0.opened = .success((tile, window.waker)) }
                try PreviewWindow.run(window, tile, until: { state.withLock { $0.isClosing } })
            } catch {
                state.change { state in
                    (state.opened, state.failure) = (state.opened ?? .failure(error), error)
                }
            }
            state.change { $0.isClosed = true }
        }
        do { (tile, waker) = try state.wait { $0.opened }.get() } catch {
            thread.join()
            throw CommandError("\(error); is there a display?")
        }
    }

    /// Whether somebody has closed it, or it has failed.
    var isClosed: Bool { state.withLock { $0.isClosed } }
    /// Why it has failed; `nil` if it has not.
    var failure: (any Error)? { state.withLock { $0.failure } }

    /// Closes the window, and waits until it is gone.
    func close() {
        state.change { $0.isClosing = true }
        if !isClosed { waker.wake() }
        thread.join()
    }

    private static func run(_ window: Window, _ tile: Tile, until isClosing: () -> Bool) throws {
        let clock = LiveClock()
        var areFiguresShown = false
        var last = (time: clock.now, count: 0)
        var figures = ""
        while !isClosing() {
            switch try window.next() {
            case .closed, .escape, .key("q"): return
            case .key("f"): window.toggleFullScreen()
            case .key(" "): window.views[0].scaling.toggle()
            case .key("m"): window.views[0].isMirrored.toggle()
            case .key("i"): areFiguresShown.toggle()
            case .key, .click, .resized, .woken: break
            }
            let now = (time: clock.now, count: tile.count)
            if now.time - last.time >= .seconds(1), let size = tile.size {
                let rate = Double(now.count - last.count) / (now.time - last.time).seconds
                (figures, last) = ("\(size) \(Decimal.text(rate, decimals: 1)) fps", now)
            }
            window.views[0].lines = areFiguresShown && !figures.isEmpty ? [figures] : []
        }
    }
}
#elseif Server
import RillCore
import RillThreads

/// Stands for the window of a `rill` without the trait Window.
struct PreviewWindow {
    var tile: FrameTap { FrameTap { _ in } }
    let isClosed = false
    let failure: (any Error)? = nil

    init(_ name: String) throws { throw Trait.window.isMissing(for: "watch --preview") }

    func close() {}
}
#endif
