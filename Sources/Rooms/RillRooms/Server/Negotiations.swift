import RillCore

/// Offers that wait for their answers, at most one a channel.
struct Negotiations {
    struct Waiting {
        let channel: Channel
        let request: Int
        let member: RoomMember
        /// Who comes in with it; `nil` if the member is in already.
        var arrival: (room: Room, member: Member, participant: Participant)?
        fileprivate(set) var deadline = MediaTime.distantFuture

        init(_ channel: Channel, request: Int, _ member: RoomMember) {
            (self.channel, self.request, self.member) = (channel, request, member)
        }
    }

    private var waiting: [Int: Waiting] = [:]
    private var lastNumber = 0

    var count: Int { waiting.count }
    var wakeTime: MediaTime { waiting.values.reduce(.distantFuture) { min($0, $1.deadline) } }

    mutating func add(_ negotiation: Waiting, hasMedia: Bool, until deadline: MediaTime) -> RoomNegotiation {
        lastNumber += 1
        waiting[lastNumber] = negotiation
        waiting[lastNumber]?.deadline = deadline
        negotiation.arrival?.room.reserved.insert(negotiation.member.uid)
        return RoomNegotiation(member: negotiation.member, hasMedia: hasMedia, number: lastNumber)
    }

    /// Takes one out. Who comes in with it has its number reserved no more.
    mutating func remove(_ number: Int) -> Waiting? {
        guard let negotiation = waiting.removeValue(forKey: number) else { return nil }
        negotiation.arrival?.room.reserved.remove(negotiation.member.uid)
        return negotiation
    }

    /// The number of the one of a channel.
    func number(of channel: Channel) -> Int? { waiting.first { $0.value.channel === channel }?.key }

    /// The channels whose clients come into a room.
    func channels(into room: Room) -> [Channel] { arrivals(into: room).map(\.channel) }

    /// The channels on which an identity comes into a room.
    func channels(of identity: String, into room: Room) -> [Channel] {
        arrivals(into: room).filter { $0.arrival?.member.person == .identity(identity) }.map(\.channel)
    }

    private func arrivals(into room: Room) -> [Waiting] {
        waiting.sorted { $0.key < $1.key }.map(\.value).filter { $0.arrival?.room === room }
    }

    /// The numbers of those that took too long.
    func overdue(at now: MediaTime) -> [Int] { waiting.filter { $0.value.deadline <= now }.keys.sorted() }
}
