package import RillCore
package import RillRTP

/// Combines several streams of one sender, the layers of a simulcast, into one sequence of pictures. One layer is
/// wanted at a time.
///
/// Set the wanted layer, receive the streams that are needed (``needs(_:)``), and ask for each decoded picture
/// whether it is shown (``show(_:of:)``). The new layer is shown from its first picture, and the old one until then.
/// A picture that is not newer than the last shown one is not shown. Streams are compared by their sender's wall
/// clock, from its sender reports. If that is not known, or is implausible, they are compared by their playout times
/// here.
///
/// A pure value: it knows no decoder and no clock.
package struct LayerSelector: Sendable {
    /// The layer that is wanted; `nil` for none.
    package private(set) var wanted: Int?
    /// The layer of the last shown picture, as long as it is relevant.
    package private(set) var current: Int?
    private var last: Shown?
    /// Whether a picture of the current layer was shown.
    private var isShowing = false
    /// The offset from the current layer's times to the sequence's times.
    private var offset = MediaDuration.zero

    /// The times of a picture.
    package struct Picture: Sendable {
        /// The time on its own stream's media clock.
        package var captureTime: MediaTime
        /// The time on the sender's wall clock; `nil` before the stream's first sender report.
        package var wallClock: NTPTimestamp?
        /// The playout time here.
        package var playoutTime: MediaTime

        package init(captureTime: MediaTime, wallClock: NTPTimestamp?, playoutTime: MediaTime) {
            (self.captureTime, self.wallClock, self.playoutTime) = (captureTime, wallClock, playoutTime)
        }
    }

    private struct Shown {
        var time: MediaTime
        var wallClock: NTPTimestamp?
        var playoutTime: MediaTime
    }

    /// Creates a selector with nothing wanted.
    package init() {}

    /// Sets the wanted layer; `nil` for none.
    package mutating func want(_ layer: Int?) {
        wanted = layer
        if layer == nil { current = nil }
    }

    /// Whether the layer's stream must be received: the wanted layer, and until its first picture the previous one.
    package func needs(_ layer: Int) -> Bool {
        guard let wanted else { return false }
        return layer == wanted || layer == current
    }

    /// Whether a picture of the layer is awaited: the last one that arrived was older than what had been shown.
    package func awaits(_ layer: Int) -> Bool { layer == wanted && layer == current && !isShowing }

    /// Returns a decoded picture's time in the sequence, which always rises; `nil` if it is not shown.
    package mutating func show(_ picture: Picture, of layer: Int) -> MediaTime? {
        guard needs(layer) else { return nil }
        if layer != current { begin(with: picture, of: layer) }
        guard let last else { return note(picture, at: picture.captureTime) }
        var time = picture.captureTime + offset
        // The stream's clock has jumped.
        if !LayerSelector.plausibleStep.contains(time - last.time) {
            time = last.time + LayerSelector.step(from: last, to: picture)
            offset = time - picture.captureTime
        }
        // Wall clocks are rounded on the wire.
        guard time - last.time > LayerSelector.rounding else { return nil }
        return note(picture, at: time)
    }

    /// Switches to another layer.
    private mutating func begin(with picture: Picture, of layer: Int) {
        current = layer
        isShowing = false
        offset = .zero
        guard let last else { return }
        var step = LayerSelector.step(from: last, to: picture)
        if let from = last.wallClock, let to = picture.wallClock {
            let told = MediaDuration(nanoseconds: to.nanoseconds(since: from))
            if LayerSelector.plausibleStep.contains(told) { step = told }
        }
        offset = last.time + step - picture.captureTime
    }

    private mutating func note(_ picture: Picture, at time: MediaTime) -> MediaTime {
        isShowing = true
        last = Shown(time: time, wallClock: picture.wallClock, playoutTime: picture.playoutTime)
        return time
    }

    /// The step to a picture of which only the playout time here is known.
    private static func step(from last: Shown, to picture: Picture) -> MediaDuration {
        max(picture.playoutTime - last.playoutTime, shortestStep)
    }

    /// Layers differ by at most the delay of one of them; forward, a pause may lie between them.
    private static let plausibleStep = MediaDuration.seconds(-2) ... .seconds(3600)
    private static let shortestStep = MediaDuration.milliseconds(1)
    private static let rounding = MediaDuration(nanoseconds: 500_000)
}
