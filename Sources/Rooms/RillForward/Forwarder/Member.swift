import RillCore
import RillPeer
import RillSession

/// Somebody who is sent streams over one connection: a viewer of one stream, or a member who wants several.
final class Member {
    let id: ICEPeerID
    /// What is sent: one slot for each section of video that it receives.
    let slots: [Subscription]
    /// The sound that is sent: one for each section of audio.
    let sounds: [SoundSubscription]
    /// The streams whose sound it wants: as many as have slots are heard, the loudest first.
    var wantedSounds: [ForwardedStream] = []
    /// Whether it watches one stream, with which it ends.
    let isViewer: Bool
    /// When its layers are chosen again.
    var nextChoice = MediaTime(nanoseconds: .min)
    private var allocator = LayerAllocator()

    init(_ id: ICEPeerID, slots: [Subscription], sounds: [SoundSubscription], isViewer: Bool) {
        (self.id, self.slots, self.sounds, self.isViewer) = (id, slots, sounds, isViewer)
    }

    /// What it was sent.
    var counts: ForwardCounts {
        var counts = ForwardCounts()
        for slot in slots { counts.add(slot.counts) }
        for sound in sounds { counts.audioPackets += sound.packetCount }
        return counts
    }

    /// The slot of a stream of its session.
    func slot(of sending: SendingStreamID) -> Subscription? { slots.first { $0.sending == sending } }

    /// It gets nothing any more.
    func leave() {
        for slot in slots { slot.show(nil) }
        for sound in sounds { sound.hear(nil) }
        for stream in wantedSounds { stream.audience.removeAll { $0 == id } }
        wantedSounds = []
    }

    // MARK: Layers

    /// What a frame's bytes become on the path, with all headers: a twentieth more.
    private static let overhead = 1.05

    /// Chooses the layers of all slots that show something, by what the network carries.
    ///
    /// - Parameters:
    ///   - connection: its connection.
    ///   - overload: what is left out for everybody.
    ///   - now: the current time.
    /// - Returns: the bitrate to probe the network with; `nil` for none.
    func chooseLayers(
        over connection: PeerConnection, leavingOut overload: OverloadLevel, at now: MediaTime
    ) -> Bitrate? {
        guard let session = connection.session else { return nil }
        var choices: [Choice] = []
        var room = LayerAllocator.Room(estimate: nil)
        for (index, slot) in slots.enumerated() {
            guard let stream = slot.stream, session.isAccepted(slot.sending) else { continue }
            guard overload < .pictures else {
                slot.pause()
                continue
            }
            let choice = Choice(
                index, slot, stream, isViewer: isViewer, isSmall: overload == .largeLayers, at: now)
            if let pinned = choice.pinned {
                slot.aim(at: pinned)
                room.reserved += stream.layers[pinned].rates(at: now).bits * Member.overhead
            } else {
                choices.append(choice)
            }
        }
        // Sound comes first.
        for sound in sounds { room.reserved += sound.stream?.sound?.bits(at: now) ?? 0 }
        if let allowance = session.allowance(at: now) {
            room.estimate = Double(allowance.bitrate.bitsPerSecond)
            room.isFull = allowance.obstacle != nil
        }
        let chosen = allocator.allocate(choices.map(\.request), in: room, at: now)
        for (choice, place) in zip(choices, chosen) {
            let slot = slots[choice.index]
            if let place {
                slot.aim(at: choice.live[place])
            } else if isViewer {
                // A viewer of one stream is better served with a few of its frames than with none.
                slot.aim(at: choice.live.last ?? choice.usable.first)
            } else if choice.isComing {
                // A layer that nothing is known of may be too much for the others.
                slot.aim(at: nil)
            } else {
                slot.pause()
            }
        }
        return allocator.probeBitrate(at: now).map { Bitrate(bitsPerSecond: Int($0)) }
    }

    /// The layers among which one is chosen for a slot.
    private struct Choice {
        let index: Int
        /// The layers that it can decode, the best one first.
        let usable: [Int]
        /// Those of them that bring frames, and are not larger than needed.
        private(set) var live: [Int] = []
        /// The one that it gets in any case.
        private(set) var pinned: Int?
        private(set) var request: LayerAllocator.Request
        /// Whether nothing has come yet that it could get.
        private(set) var isComing = false

        init(
            _ index: Int, _ slot: Subscription, _ stream: ForwardedStream, isViewer: Bool, isSmall: Bool,
            at now: MediaTime
        ) {
            self.index = index
            usable = stream.order.filter { slot.codecs.contains(stream.layers[$0].codec) }
            request = LayerAllocator.Request(
                id: index, wish: slot.wishNumber, importance: slot.wish.priority, bitrates: [], current: nil)
            if let named = slot.requested.flatMap(stream.find).flatMap({ stream.running($0, at: now) }),
                usable.contains(named), !isSmall
            {
                pinned = named
                return
            }
            live = slot.wish.suitable(of: stream, usable) { $0.isLive(at: now) }
            if isSmall { live.removeFirst(max(live.count - 1, 0)) }
            request.bitrates = live.map { stream.layers[$0].expectedBits(at: now) * Member.overhead }
            if !isViewer, live.count == 1, usable.count > 1 { request.lacksSmall = stream.layers[live[0]].isLarge }
            isComing = live.isEmpty || request.lacksSmall && stream.isNew(at: now)
            request.current = slot.target.flatMap(live.firstIndex)
        }
    }
}

extension StreamWish {
    /// The layers that serve a wish, the best one first: the smallest that suffices, and all below it.
    ///
    /// - Parameters:
    ///   - stream: the stream.
    ///   - usable: the layers that can be decoded, the best one first.
    ///   - isPresent: which of them there are.
    func suitable(
        of stream: ForwardedStream, _ usable: [Int], where isPresent: (borrowing PublishedLayer) -> Bool
    ) -> [Int] {
        var layers: [Int] = []
        for layer in usable where isPresent(stream.layers[layer]) {
            if isSmall(stream.layers[layer]) { layers.removeAll() }
            layers.append(layer)
        }
        return layers
    }

    /// Whether no better layer than this one is needed.
    func isSmall(_ layer: PublishedLayer) -> Bool {
        switch picture {
        case .none, .low: true
        case .high: false
        case .shown(at: let size): layer.covers(size)
        }
    }
}
