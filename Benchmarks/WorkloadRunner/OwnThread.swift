import Glibc

/// Runs `body` on a thread of its own, and waits for its end.
///
/// So its cost does not depend on where the program and its files are. A thread's stack begins at a page, and its
/// arrays are in memory of its own. On the main thread, both begin where the program's path, its arguments, its
/// environment and the kernel's vector happen to end, and a copy costs by the alignment of its target: a packet through
/// the parts of a session took 2720 or 2750 instructions, by the length of a folder's path.
func runOnOwnThread(_ body: () throws -> Void) throws {
    try withoutActuallyEscaping(body) { body in
        let work = ThreadWork(body)
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                Unmanaged<ThreadWork>.fromOpaque(argument!).takeUnretainedValue().run()
                return nil
            }, Unmanaged.passUnretained(work).toOpaque())
        precondition(code == 0, "the system cannot create a thread (error \(code))")
        pthread_join(thread, nil)
        try work.result.get()
    }
}

private final class ThreadWork {
    private let body: () throws -> Void
    private(set) var result = Result<Void, any Error>.success(())

    init(_ body: @escaping () throws -> Void) { self.body = body }

    func run() { result = Result { try body() } }
}
