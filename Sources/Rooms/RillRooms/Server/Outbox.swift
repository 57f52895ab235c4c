import RillCore

/// A client's channel.
final class Channel {
    enum Phase {
        /// Its first message has not come.
        case new
        /// Its token is checked.
        case checking(JoinRequest, request: Int)
        /// Its offer is answered.
        case negotiating
        case joined(Room, Member)
    }

    let id: RoomChannelID
    let openTime: MediaTime
    /// Where it came from; `nil` if that does not count.
    let address: String?
    var phase = Phase.new
    var requests: TokenBucket
    /// The request whose new token is checked.
    var renewal: Int?
    var isWritable = true
    /// What waits until it is writable.
    fileprivate(set) var backlog: [RoomMessage] = []
    fileprivate(set) var backlogByteCount = 0

    init(_ id: RoomChannelID, from address: String?, requestRate: Int, at now: MediaTime) {
        (self.id, self.address, openTime) = (id, address, now)
        requests = TokenBucket(perSecond: Double(requestRate))
    }

    var isPending: Bool {
        if case .joined = phase { false } else { true }
    }
}

/// What is to be done for all rooms, and the channels.
final class Outbox {
    private(set) var channels: [RoomChannelID: Channel] = [:]
    var statistics = RoomStatistics()
    private let backlogByteLimit: Int
    private var actions = ActionQueue<RoomsAction>()
    private var channelCount = 0

    init(backlogByteLimit: Int) { self.backlogByteLimit = backlogByteLimit }

    // MARK: Actions

    func add(_ action: RoomsAction) { actions.append(action) }

    func next() -> RoomsAction? { actions.next() }

    /// The entries of its tables.
    var entryCount: Int { channels.values.reduce(channels.count + actions.count) { $0 + $1.backlog.count } }

    // MARK: Channels

    func open(from address: String?, requestRate: Int, at now: MediaTime) -> Channel {
        channelCount += 1
        let channel = Channel(
            RoomChannelID(number: channelCount), from: address, requestRate: requestRate, at: now)
        channels[channel.id] = channel
        return channel
    }

    /// Forgets a channel that its client closed.
    func forget(_ channel: Channel) {
        channels[channel.id] = nil
        if case .joined(_, let member) = channel.phase, member.channel === channel { member.channel = nil }
    }

    /// Ends a channel.
    func close(_ channel: Channel, _ reason: EndReason) {
        guard channels[channel.id] != nil else { return }
        // Who is slow reads no reason, but finds it when it does.
        actions.append(.send(.bye(reason), to: [channel.id]))
        statistics.endings[reason, default: 0] += 1
        close(channel)
    }

    func close(_ channel: Channel) {
        forget(channel)
        actions.append(.close(channel.id))
    }

    // MARK: Messages

    func send(_ message: RoomMessage, to channel: Channel) { send(message, to: CollectionOfOne(channel)) }

    /// Sends a message on the channels that are writable. For the others it waits.
    func send(_ message: RoomMessage, to receivers: some Collection<Channel>) {
        var writable: [RoomChannelID] = []
        for channel in receivers where channels[channel.id] != nil {
            if channel.isWritable {
                writable.append(channel.id)
            } else {
                channel.backlog.append(message)
                channel.backlogByteCount += message.roughByteCount
                if channel.backlogByteCount > backlogByteLimit { close(channel, .slow) }
            }
        }
        if !writable.isEmpty { actions.append(.send(message, to: writable)) }
    }

    func refuse(_ error: RoomError, _ request: Int, of channel: Channel) {
        statistics.refusals[error.code, default: 0] += 1
        send(.error(error, to: request), to: channel)
    }

    func setWritable(_ isWritable: Bool, _ channel: Channel) {
        channel.isWritable = isWritable
        guard isWritable else { return }
        for message in channel.backlog { actions.append(.send(message, to: [channel.id])) }
        channel.backlog = []
        channel.backlogByteCount = 0
    }
}

extension RoomMessage {
    /// About how long it is in JSON: its texts, and 150 bytes for names and numbers.
    var roughByteCount: Int {
        150
            + {
                switch self {
                case .welcome(let welcome, _):
                    welcome.session.utf8.count + (welcome.answer?.utf8.count ?? 0) + 100 * welcome.slots.count
                        + (welcome.chat?.roughByteCount ?? 0)
                        + (welcome.snapshot?.participants.reduce(0) { $0 + $1.roughByteCount } ?? 0)
                case .done(_, number: _, let answer, message: _): answer?.utf8.count ?? 0
                case .event(let numbered): numbered.event.roughByteCount
                case .data(count: _, from: _, sequence: _, let text, missed: _): text.utf8.count
                case .levels(let levels): 30 * levels.count
                case .chatState(let state): state.roughByteCount
                case .history(let messages, to: _): messages.reduce(0) { $0 + $1.roughByteCount }
                case .blocked(let author, _): author.utf8.count
                case .report(let report): report.roughByteCount
                case .reports(let reports, to: _): reports.reduce(0) { $0 + $1.roughByteCount }
                case .error, .slot, .layer, .alive, .bye, .marks, .typing: 100
                }
            }()
    }
}

extension RoomEvent {
    fileprivate var roughByteCount: Int {
        switch self {
        case .joined(let participant): participant.roughByteCount
        case .profileChanged(_, let name, let avatar, let attributes):
            name.utf8.count + (avatar?.utf8.count ?? 0) + attributes.roughByteCount
        case .chat(let message): message.roughByteCount
        case .chatEdited(_, let text, edited: _): text.utf8.count
        default: 0
        }
    }
}

extension ReportedMessage {
    fileprivate var roughByteCount: Int {
        150 + report.reporter.utf8.count + report.text.utf8.count + (message?.roughByteCount ?? 0)
    }
}

extension Participant {
    fileprivate var roughByteCount: Int {
        200 + name.utf8.count + (identity?.utf8.count ?? 0) + (avatar?.utf8.count ?? 0) + attributes.roughByteCount
            + 60 * published.count
    }
}

extension [String: String] {
    fileprivate var roughByteCount: Int { reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count + 6 } }
}
