import RillCore

/// The senders of a pair with NAT: each has a number, which stands for a socket, until it is idle.
///
/// A foreign program may send from any number of addresses. There are at most `limit` senders, and a new one waits
/// until an old one was idle long enough. None is removed before its time, so that a flood cannot end existing flows.
struct RelaySenders {
    private struct Sender {
        var address: UDPAddress
        /// When the last datagram arrived, in either direction.
        var lastHeard: MediaTime
        /// Its datagrams in flight.
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

    /// Returns the number of the sender at that address, a new one for its first datagram; `nil` if the limit is
    /// reached.
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

    /// Returns the address of the sender with that number, for which a datagram arrived; `nil` if it was removed.
    mutating func address(of number: Int, at now: MediaTime) -> UDPAddress? {
        senders[number]?.lastHeard = now
        return senders[number]?.address
    }

    mutating func addOnTheWay(_ count: Int, of number: Int) { senders[number]?.onTheWay += count }

    /// Removes one sender that was idle too long, and returns its number.
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
