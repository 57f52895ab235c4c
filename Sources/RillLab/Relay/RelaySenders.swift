import RillCore

/// The senders of a pair with NAT: a number for each, which stands for a socket, as long as it is not idle.
///
/// A stranger may send from any number of addresses: there are no more than `limit` senders, and a new one waits until an old
/// one was idle long enough. None is put out before its time, so that a flood cannot end what goes on.
struct RelaySenders {
    private struct Sender {
        var address: UDPAddress
        /// When a datagram came last, in either direction.
        var lastHeard: MediaTime
        /// Datagrams of its that have not left yet.
        var onTheWay = 0
    }

    private let limit: Int
    private let idleTime: MediaDuration
    private var numbers: [UDPAddress: Int] = [:]
    private var senders: [Int: Sender] = [:]
    private var nextNumber = 0

    init(limit: Int, idleTime: MediaDuration) {
        self.limit = limit
        self.idleTime = idleTime
    }

    var count: Int { senders.count }

    /// The number of whoever sends from there, a new one for the first datagram; `nil` where there are enough senders.
    mutating func number(of address: UDPAddress, at now: MediaTime) -> Int? {
        if let number = numbers[address] {
            senders[number]?.lastHeard = now
            return number
        }
        guard count < limit else { return nil }
        defer { nextNumber += 1 }
        numbers[address] = nextNumber
        senders[nextNumber] = Sender(address: address, lastHeard: now)
        return nextNumber
    }

    /// Who has that number, for which a datagram came; `nil` where it was forgotten.
    mutating func address(of number: Int, at now: MediaTime) -> UDPAddress? {
        senders[number]?.lastHeard = now
        return senders[number]?.address
    }

    mutating func addOnTheWay(_ count: Int, of number: Int) { senders[number]?.onTheWay += count }

    /// Forgets one sender that was idle too long, and gives its number.
    mutating func removeIdle(at now: MediaTime) -> Int? {
        guard
            let (number, sender) = senders.first(where: {
                $0.value.onTheWay == 0 && now - $0.value.lastHeard >= idleTime
            })
        else { return nil }
        senders[number] = nil
        numbers[sender.address] = nil
        return number
    }
}
