package import RillCore
package import RillRTP

/// Makes one sequence of pictures out of several streams of one sender, of which one is wanted: the layers of a simulcast.
///
/// Say what is wanted, have the streams come that are needed (``needs(_:)``), and ask for each picture that was decoded whether it is
/// shown (``show(_:of:)``). The new layer is shown from its first picture on, the old one until then. No picture is shown whose moment
/// was shown already, or lies before that: streams are compared by their sender's wall clock, as its reports tell it, and where that is
/// not known, or cannot be true, by the time at which they are due here.
///
/// A pure value: it knows no decoder, no clock.
package struct LayerSelector: Sendable {
    /// The layer that is wanted; `nil` for none.
    package private(set) var wanted: Int?
    /// The layer of the last picture that was shown, as long as that is of use.
    package private(set) var current: Int?
    private var last: Shown?
    /// A picture of the current layer was shown.
    private var isShowing = false
    /// What is to be added to the current layer's times for those of the sequence.
    private var offset = MediaDuration.zero

    /// What is known of a picture's time.
    package struct Picture: Sendable {
        /// Its time on its own stream's media clock.
        package var captureTime: MediaTime
        /// Its time on the sender's wall clock; `nil` before the stream's first report.
        package var wallClock: NTPTimestamp?
        /// When it is due here.
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

    /// Nothing is wanted.
    package init() {}

    /// Wants a layer from now on; `nil` for none.
    package mutating func want(_ layer: Int?) {
        wanted = layer
        if layer == nil { current = nil }
    }

    /// Whether the layer's stream has to come: the wanted one, and until its first picture the one before.
    package func needs(_ layer: Int) -> Bool {
        guard let wanted else { return false }
        return layer == wanted || layer == current
    }

    /// Whether somebody waits for a picture of the layer: one that came was older than what was shown before.
    package func awaits(_ layer: Int) -> Bool { layer == wanted && layer == current && !isShowing }

    /// Whether a picture that was decoded is shown, and if so its time in the sequence, which always rises.
    package mutating func show(_ picture: Picture, of layer: Int) -> MediaTime? {
        guard needs(layer) else { return nil }
        if layer != current { begin(with: picture, of: layer) }
        guard let last else { return note(picture, at: picture.captureTime) }
        var time = picture.captureTime + offset
        // The stream has jumped.
        if !LayerSelector.plausibleStep.contains(time - last.time) {
            time = last.time + LayerSelector.step(from: last, to: picture)
            offset = time - picture.captureTime
        }
        // Wall clocks are rounded on the wire.
        guard time - last.time > LayerSelector.rounding else { return nil }
        return note(picture, at: time)
    }

    /// Goes over to another layer.
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

    /// The step to a picture of which nothing is known but when it is due here.
    private static func step(from last: Shown, to picture: Picture) -> MediaDuration {
        max(picture.playoutTime - last.playoutTime, shortestStep)
    }

    /// Layers lie no further apart than the delay of one of them; ahead, a silence may lie between them.
    private static let plausibleStep = MediaDuration.seconds(-2) ... .seconds(3600)
    private static let shortestStep = MediaDuration.milliseconds(1)
    private static let rounding = MediaDuration(nanoseconds: 500_000)
}
