import RillCore
import RillRooms
import RillTestSupport
import Testing

@Suite("Rooms for a day")
struct RoomDayTests {
    /// 50 rooms, in each of which somebody joins or leaves each second: some by leaving, some by vanishing.
    @Test func `Entries of all tables stay as many as there are people`() throws {
        let desk = Desk()
        var generator = SeededGenerator(seed: 1)
        var people: [[Guest]] = Array(repeating: [], count: 50)
        var most: [Int] = []
        let duration = isLongRun ? 86_400 : 1200
        for second in 0..<duration {
            for room in people.indices {
                if people[room].count >= 12 || !people[room].isEmpty && generator.next() % 2 == 0 {
                    let index = Int(generator.next() % UInt64(people[room].count))
                    let guest = people[room].remove(at: index)
                    if generator.next() % 4 == 0 {
                        desk.rooms.closed(guest.channel, at: desk.now)
                    } else {
                        desk.ask(.leave, on: guest.channel)
                    }
                } else {
                    let guest = try desk.join("room \(room)")
                    desk.ask(.publish(.sound, mid: nil, isMuted: false), on: guest.channel)
                    desk.ask(.data(count: 1, to: nil, text: "hello"), on: guest.channel)
                    people[room].append(guest)
                }
            }
            for guest in people.joined() {
                desk.rooms.handle(
                    RoomRequest(.alive(number: 0, count: .max), id: 0), from: guest.channel, at: desk.now)
            }
            desk.pass(.seconds(1))
            desk.forget()
            let part = second / (duration / 6)
            if most.count <= part { most.append(0) }
            most[part] = max(most[part], desk.rooms.statistics.entryCount)
        }
        let statistics = desk.rooms.statistics
        note("\(duration) s: most entries in each sixth \(most), \(statistics)")
        // The first sixth fills the rooms; how many people there are scatters by some hundredths later.
        #expect(most.dropFirst(2).allSatisfy { $0 <= most[1] * 11 / 10 }, "\(most)")
        #expect(statistics.roomCount <= 50 && statistics.refusals == [:])
        for guest in people.joined() { desk.ask(.leave, on: guest.channel) }
        desk.pass(.seconds(61))
        #expect(desk.rooms.statistics.roomCount == 0)
        // Only channels that have joined since are still in the list of pending ones.
        #expect(desk.rooms.statistics.entryCount <= 64)
    }
}
