public import RillCore
import RillPeer
import RillReceive
import RillSession

/// The speakers of a room.
struct SpeakerRoom {
    var streams: [ForwardedStream] = []
    var dominant = DominantSpeaker()
}

/// Sound: who hears whom, and who speaks.
extension StreamForwarder {
    /// Forwards a payload of sound to all who hear its publisher.
    func forward(
        _ payload: ReceivedPayload, _ bytes: Span<UInt8>, of id: ICEPeerID, _ received: ReceivingStreamID,
        at now: MediaTime
    ) {
        guard let stream = publishers[id]?.first else { return }
        if stream.pending.contains(where: { $0.id == id && $0.codecs.isEmpty }) { takeOver(stream, by: id, at: now) }
        guard stream.publisher == id, !stream.isMuted.sound else { return }
        if stream.sound?.publisher != id { stream.sound = PublishedSound(of: id, settings) }
        guard stream.sound?.take(byteCount: bytes.count, payload.level, at: now) == .forwarded else {
            droppedSoundPackets += 1
            return
        }
        if stream.sound?.hasLevels == true {
            contest(stream, at: now)
            decideSpeaker(in: stream.room, at: now)
        }
        let clock = port[id]?.session?.senderClock(of: received)
        let wallClock = clock?.wallClock(of: payload.timestamp)
        for listener in stream.listeners {
            let slot = members[listener.member]?.slots.first { $0.stream === stream }
            port.change(listener.member) { connection in
                listener.send(payload, bytes, wallClock: wallClock, besides: slot, over: connection, at: now)
            }
        }
    }

    // MARK: Slots

    /// How often a stream may take the place of a quieter one.
    private static let contestInterval = MediaDuration.milliseconds(100)

    /// The member wants to hear a stream, or does not any more.
    func want(soundOf stream: ForwardedStream, _ isWanted: Bool, _ member: Member, at now: MediaTime) {
        let isPresent = member.wantedSounds.contains { $0 === stream }
        guard isWanted != isPresent else { return }
        if isWanted {
            member.wantedSounds.append(stream)
            stream.audience.append(member.id)
            if let free = member.sounds.first(where: { $0.stream == nil }) { assign(free, stream, at: now) }
        } else {
            member.wantedSounds.removeAll { $0 === stream }
            stream.audience.removeAll { $0 == member.id }
            guard let slot = member.sounds.first(where: { $0.stream === stream }) else { return }
            assign(slot, member.loudestUnheard, at: now)
        }
    }

    private func assign(_ slot: SoundSubscription, _ stream: ForwardedStream?, at now: MediaTime) {
        slot.hear(stream, at: now)
        note(
            .slotChanged(named(slot.member), mid: mid(of: slot.sending, slot.member), kind: .audio, shows: stream?.name)
        )
    }

    /// A stream that speaks takes the place of one that is quieter, with those who want both.
    private func contest(_ stream: ForwardedStream, at now: MediaTime) {
        guard now >= stream.nextContest, stream.sound?.speech.activeTime == now else { return }
        stream.nextContest = now + StreamForwarder.contestInterval
        for id in stream.audience {
            guard let member = members[id], !member.sounds.contains(where: { $0.stream === stream }),
                let slot = member.slot(quieterThan: stream, at: now)
            else { continue }
            assign(slot, stream, at: now)
        }
    }

    // MARK: Speakers

    /// How loud the speakers of a room are that were heard in the last second, smoothed: dB below overload, 0 to 127
    /// (RFC 6464 §3).
    ///
    /// - Parameters:
    ///   - room: the room of ``join(_:offer:from:in:at:)``.
    ///   - now: the current time.
    public func soundLevels(in room: String, at now: MediaTime) -> [(stream: String, level: UInt8)] {
        (rooms[room]?.streams ?? []).compactMap { stream in
            guard let sound = stream.sound, sound.hasLevels, now - sound.lastArrival < .seconds(1) else { return nil }
            return (stream.name, UInt8(min(max(127 - sound.speech.loudness, 0), 127)))
        }
    }

    /// A stream's publisher is a speaker of its room from now on.
    func enterRoom(_ stream: ForwardedStream) {
        guard let room = stream.room, rooms[room]?.streams.contains(where: { $0 === stream }) != true else { return }
        rooms[room, default: SpeakerRoom()].streams.append(stream)
    }

    /// A stream's publisher has left its room.
    func leaveRoom(_ stream: ForwardedStream) {
        guard let name = stream.room, var room = rooms.removeValue(forKey: name) else { return }
        room.streams.removeAll { $0 === stream }
        if room.dominant.remove(stream.number) { note(.speakerChanged(room: name, to: nil)) }
        if !room.streams.isEmpty { rooms[name] = room }
    }

    private func decideSpeaker(in name: String?, at now: MediaTime) {
        guard let name, rooms[name]?.dominant.isDue(at: now) == true, let streams = rooms[name]?.streams else { return }
        let speakers = streams.compactMap { stream in stream.sound.map { (stream.number, $0.speech) } }
        guard rooms[name]?.dominant.decide(among: speakers, at: now) == true else { return }
        let speaker = streams.first { $0.number == rooms[name]?.dominant.current }
        note(.speakerChanged(room: name, to: speaker?.name))
    }
}

extension Member {
    /// What is heard gives way to another one after so long without a sound of speech, or after that long, if the other
    /// one is much louder.
    private static let pause = MediaDuration.milliseconds(500)
    private static let shortestHearing = MediaDuration.seconds(1)
    private static let muchLouder = 6.0

    /// The slot of the quietest stream that may give way to another one.
    fileprivate func slot(quieterThan stream: ForwardedStream, at now: MediaTime) -> SoundSubscription? {
        guard let quietest = sounds.min(by: { $0.loudness < $1.loudness }) else { return nil }
        guard let present = quietest.stream?.sound, present.hasLevels else { return quietest }
        if now - present.speech.activeTime >= Member.pause { return quietest }
        let isMuchLouder = (stream.sound?.speech.loudness ?? 0) > present.speech.loudness + Member.muchLouder
        return isMuchLouder && now - quietest.start >= Member.shortestHearing ? quietest : nil
    }

    /// The loudest stream that it wants to hear and does not.
    fileprivate var loudestUnheard: ForwardedStream? {
        let unheard = wantedSounds.filter { stream in !sounds.contains { $0.stream === stream } }
        return unheard.max { ($0.sound?.speech.loudness ?? 0) < ($1.sound?.speech.loudness ?? 0) }
    }
}

extension SoundSubscription {
    fileprivate var loudness: Double { stream?.sound?.speech.loudness ?? -1 }
}
