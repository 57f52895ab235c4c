import Glibc
import Testing

/// Not a test of Rill but of the thread sanitizer: it must go red over a real race, or its silence means nothing.
/// `.ci/planted-faults` plants it and asks for the report.
@Suite struct PlantedRaceTests {
    @Test(.enabled(if: unsafe getenv("RILL_PLANT_RACE") != nil, "RILL_PLANT_RACE is not set"))
    func `The race is reported by the thread sanitizer`() {
        let counter = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        defer { unsafe counter.deallocate() }
        unsafe counter.initialize(to: 0)
        var threads = [pthread_t](repeating: 0, count: 2)
        for index in threads.indices {
            // Both threads write to the same number without a lock: this is the race.
            let result = unsafe pthread_create(
                &threads[index], nil,
                { context in
                    let counter = unsafe context!.assumingMemoryBound(to: Int.self)
                    for _ in 0..<10_000 { unsafe counter.pointee &+= 1 }
                    return nil
                }, counter)
            #expect(result == 0)
        }
        for thread in threads { pthread_join(thread, nil) }
        #expect(unsafe counter.pointee > 0)
    }
}
