#if Window
import CSDL
import RillCore

/// A window with pictures in it.
///
///     let window = try Window("rill", width: 1280, height: 720)
///     let tile = window.add("bob")                     // a sink for frames, on any thread
///     while let event = window.next() { … }            // draws new frames, and waits for events
///
/// Threads: the thread that made it, except for tiles. Only one window at a time. Each pointer of SDL is owned by one
/// object, which frees it, and none leaves this module.
@safe package final class Window {
    /// An event.
    package enum Event: Equatable {
        case key(Character)
        case escape
        /// A picture was clicked.
        case click(tile: Int)
        /// The sizes of the areas changed.
        case resized
        /// A ``Waker`` or a tile woke the window.
        case woken
        case closed
    }

    /// Wakes the window from any thread.
    package struct Waker: Sendable {
        let type: UInt32

        package func wake() {
            var event = unsafe SDL_Event()
            unsafe event.type = type
            unsafe SDL_PushEvent(&event)
        }
    }

    /// The display options of one picture.
    package struct View: Equatable {
        package var scaling = Scaling.fit
        package var isMirrored = false
        /// Lines of text in the corner.
        package var lines: [String] = []
    }

    package let waker: Waker
    package private(set) var tiles: [Tile] = []
    package var views: [View] = []
    package var arrangement = Arrangement.grid { didSet { isStale = true } }
    private let window: OpaquePointer
    private let renderer: OpaquePointer
    private var pictures: [Picture] = []
    private let lettering: Lettering?
    private var isFullScreen = false
    private var isStale = true
    private var drawn: [View] = []

    /// Opens a window.
    ///
    /// - Parameters:
    ///   - title: the window's title.
    ///   - width: the width in SDL's screen units.
    ///   - height: the height in SDL's screen units.
    /// - Throws: ``SDLFailure`` if there is no screen.
    package init(_ title: String, width: Int, height: Int) throws {
        SDL_SetMainReady()
        // The program handles Ctrl-C itself, to end the call properly.
        unsafe SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1")
        // A viewer does not use the keyboard, so the screen saver is disabled.
        unsafe SDL_SetHint(SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "0")
        guard SDL_Init(SDL_INIT_VIDEO) == 0 else { throw SDLFailure("no screen") }
        // Without a screen, SDL silently draws into memory. This is an error, unless SDL_VIDEODRIVER requests it.
        let driver = unsafe SDL_GetCurrentVideoDriver().map { unsafe String(cString: $0) } ?? ""
        let requested = unsafe SDL_GetHint(SDL_HINT_VIDEODRIVER).map { unsafe String(cString: $0) } ?? ""
        if ["offscreen", "dummy"].contains(driver), requested.isEmpty {
            SDL_Quit()
            throw SDLFailure("no screen", "neither X11 nor Wayland answers")
        }
        guard
            let window = unsafe SDL_CreateWindow(
                title, CSDL_CENTERED, CSDL_CENTERED, Int32(width), Int32(height), CSDL_RESIZABLE)
        else { throw SDLFailure("no window") }
        guard let renderer = unsafe SDL_CreateRenderer(window, -1, 0) else {
            let failure = SDLFailure("no renderer")
            unsafe SDL_DestroyWindow(window)
            throw failure
        }
        unsafe (self.window, self.renderer) = unsafe (window, renderer)
        // One event type for all wakers; pending ones are merged.
        waker = Waker(type: SDL_RegisterEvents(1))
        // Without a font the window has no text; see ``hasLettering``.
        lettering = unsafe try? Lettering(renderer, size: 15)
    }

    deinit {
        for tile in tiles { tile.close() }
        pictures = []
        unsafe SDL_DestroyRenderer(renderer)
        unsafe SDL_DestroyWindow(window)
        SDL_Quit()
    }

    /// Whether text can be shown.
    package var hasLettering: Bool { lettering != nil }

    /// Adds a picture.
    package func add(_ name: String) -> Tile {
        let tile = Tile(name) { [waker] in waker.wake() }
        tiles.append(tile)
        unsafe pictures.append(Picture(renderer))
        views.append(View())
        isStale = true
        return tile
    }

    package func setFullScreen(_ isFullScreen: Bool) {
        self.isFullScreen = isFullScreen
        unsafe SDL_SetWindowFullscreen(window, isFullScreen ? CSDL_FULLSCREEN : 0)
        SDL_ShowCursor(isFullScreen ? SDL_DISABLE : SDL_ENABLE)
        isStale = true
    }

    package func toggleFullScreen() { setFullScreen(!isFullScreen) }

    package func setTitle(_ title: String) { unsafe SDL_SetWindowTitle(window, title) }

    /// The areas of the pictures.
    package var areas: [Area] {
        var (width, height): (Int32, Int32) = (0, 0)
        unsafe SDL_GetRendererOutputSize(renderer, &width, &height)
        return arrangement.areas(tiles.count, width: Int(width), height: Int(height))
    }

    // MARK: Events

    /// Waits for an event, and draws new frames meanwhile.
    package func next() throws -> Event {
        while true {
            try drawNew()
            var event = unsafe SDL_Event()
            guard unsafe SDL_WaitEvent(&event) == 1 else { throw SDLFailure("waiting") }
            if let told = unsafe take(event) { return told }
        }
    }

    /// The next event, without waiting; `nil` if there is none.
    package func poll() throws -> Event? {
        var event = unsafe SDL_Event()
        while unsafe SDL_PollEvent(&event) == 1 { if let told = unsafe take(event) { return told } }
        try drawNew()
        return nil
    }

    private func take(_ event: SDL_Event) -> Event? {
        switch unsafe SDL_EventType(event.type) {
        case SDL_QUIT: return .closed
        case SDL_KEYDOWN: return unsafe key(event.key.keysym.sym)
        case SDL_MOUSEBUTTONDOWN:
            let (x, y) = unsafe inPixels(event.button.x, event.button.y)
            return areas.lastIndex { $0.contains(x: x, y: y) }.map { .click(tile: $0) }
        case SDL_WINDOWEVENT:
            isStale = true
            return unsafe event.window.event == UInt8(SDL_WINDOWEVENT_SIZE_CHANGED.rawValue) ? .resized : nil
        case SDL_EventType(waker.type):
            SDL_FlushEvent(waker.type)
            return .woken
        default: return nil
        }
    }

    private func key(_ symbol: Int32) -> Event? {
        if symbol == Int32(SDLK_ESCAPE.rawValue) { return .escape }
        guard (32..<127).contains(symbol), let scalar = Unicode.Scalar(UInt32(symbol)) else { return nil }
        return .key(Character(scalar))
    }

    /// Converts mouse coordinates to pixels: on high-DPI screens their units are larger.
    private func inPixels(_ x: Int32, _ y: Int32) -> (Int, Int) {
        var (width, height, pixelWidth, pixelHeight): (Int32, Int32, Int32, Int32) = (1, 1, 1, 1)
        unsafe SDL_GetWindowSize(window, &width, &height)
        unsafe SDL_GetRendererOutputSize(renderer, &pixelWidth, &pixelHeight)
        return (Int(x) * Int(pixelWidth) / Int(max(1, width)), Int(y) * Int(pixelHeight) / Int(max(1, height)))
    }

    // MARK: Drawing

    private func drawNew() throws {
        var isNew = isStale || drawn != views
        for (index, tile) in tiles.enumerated() {
            guard let frame = tile.takeNew() else { continue }
            try pictures[index].take(frame)
            isNew = true
        }
        guard isNew else { return }
        (isStale, drawn) = (false, views)
        draw()
        unsafe SDL_RenderPresent(renderer)
    }

    private func draw() {
        unsafe SDL_SetRenderDrawColor(renderer, 16, 16, 16, 255)
        unsafe SDL_RenderClear(renderer)
        for (index, area) in areas.enumerated() {
            pictures[index].draw(views[index].scaling, in: area, isMirrored: views[index].isMirrored)
            var clip = SDL_Rect(area)
            unsafe SDL_RenderSetClipRect(renderer, &clip)
            lettering?.draw(views[index].lines, x: area.x + 10, y: area.y + 8)
            unsafe SDL_RenderSetClipRect(renderer, nil)
        }
        lettering?.forgetUnused()
    }

    /// The drawn window as RGB bytes, for tests.
    package func pixels() throws -> (bytes: [UInt8], width: Int, height: Int) {
        var (width, height): (Int32, Int32) = (0, 0)
        unsafe SDL_GetRendererOutputSize(renderer, &width, &height)
        try drawNew()
        draw()
        var bytes = [UInt8](repeating: 0, count: Int(width * height) * 3)
        let result = unsafe SDL_RenderReadPixels(renderer, nil, SDL_PIXELFORMAT_RGB24.rawValue, &bytes, width * 3)
        guard result == 0 else { throw SDLFailure("reading pixels") }
        return (bytes, Int(width), Int(height))
    }
}
#endif

#if Window
import CSDL

/// An operation that failed in SDL, with SDL's own message.
package struct SDLFailure: Error, CustomStringConvertible {
    package let description: String

    init(_ what: String, _ reason: String? = nil) {
        description = unsafe "\(what): \(reason ?? String(cString: SDL_GetError()))"
    }
}
#endif
