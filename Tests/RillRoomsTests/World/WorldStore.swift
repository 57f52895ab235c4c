import RillCore
import RillRooms
import RillTestSupport

/// A store whose disk is slow and fails, and that outlives the server: what it has committed is there, whether the
/// server got to know or not.
final class WorldStore {
    private(set) var tables = ChatTables()
    /// The longest that a commit takes; now and then it takes a hundred times as long.
    var delay = MediaDuration.zero
    /// Of 1,000 calls so many fail.
    var failures = 0
    private(set) var batchTimes: [MediaTime] = []
    private var isWriting = false
    private(set) var failureCount = 0

    func write(_ changes: [ChatChange], _ work: RoomStoreWork, in world: RoomWorld) {
        if isWriting { world.problem("two batches are with the store at a time") }
        if let last = batchTimes.last, world.now < last + .milliseconds(5), world.startTime <= last {
            world.problem("batches come \(world.now - last) one after the other")
        }
        batchTimes.append(world.now)
        if changes.count > 1_000 { world.problem("a batch of \(changes.count)") }
        isWriting = true
        run(in: world) { [self] in
            if fails(in: world) { return { $0.storeFailed(.failed("disk"), for: work, at: $1) } }
            do throws(RoomStoreError) {
                let results = try tables.write(changes)
                return { $0.stored(results, for: work, at: $1) }
            } catch {
                return { $0.storeFailed(error, for: work, at: $1) }
            }
        } answered: { [self] in
            isWriting = false
        }
    }

    func read(_ read: ChatRead, _ work: RoomStoreWork, in world: RoomWorld) {
        run(in: world) { [self] in
            if fails(in: world) { return { $0.storeFailed(.failed("disk"), for: work, at: $1) } }
            let result = tables.perform(read)
            return { $0.read(result, for: work, at: $1) }
        } answered: {
        }
    }

    func serverEnded() { isWriting = false }

    private func fails(in world: RoomWorld) -> Bool {
        guard failures > 0, Int.random(in: 0..<1_000, using: &world.generator) < failures else { return false }
        failureCount += 1
        return true
    }

    /// Does something after a while, and answers after another one, unless the server has ended meanwhile.
    private func run(
        in world: RoomWorld, _ body: @escaping () -> (Rooms, MediaTime) -> Void, answered: @escaping () -> Void
    ) {
        let start = world.startCount
        let answer = { [unowned world] (call: @escaping (Rooms, MediaTime) -> Void) in
            guard world.startCount == start, let rooms = world.rooms else { return }
            answered()
            call(rooms, world.now)
        }
        guard delay > .zero else {
            let call = body()
            return answer(call)
        }
        world.at(world.now + wait(in: world)) { [self, unowned world] in
            // A process that is killed writes no more.
            guard world.startCount == start else { return }
            let call = body()
            world.at(world.now + wait(in: world)) { [unowned world] in
                answer(call)
                world.serve()
            }
        }
    }

    private func wait(in world: RoomWorld) -> MediaDuration {
        let isSlow = world.generator.next() % 50 == 0
        return world.generator.duration(below: isSlow ? delay * 100 : delay)
    }
}
