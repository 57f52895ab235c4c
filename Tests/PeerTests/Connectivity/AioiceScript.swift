/// An agent of aioice that connects, sends "ping", waits for "pong", and ends.
enum AioiceScript {
    /// Arguments: `controlling` or `controlled`, fragment and password of this side, and a candidate
    /// for each further argument. It prints its own description to standard error, a line each.
    static let text = """
        import asyncio, sys, aioice

        async def main(role, fragment, password, *candidates):
            connection = aioice.Connection(ice_controlling=role == "controlling")
            await connection.gather_candidates()
            print(connection.local_username, connection.local_password, file=sys.stderr)
            for candidate in connection.local_candidates:
                print("candidate:" + candidate.to_sdp(), file=sys.stderr)
            print("end", file=sys.stderr, flush=True)
            connection.remote_username = fragment
            connection.remote_password = password
            for candidate in candidates:
                await connection.add_remote_candidate(aioice.Candidate.from_sdp(candidate))
            await connection.add_remote_candidate(None)
            await connection.connect()
            await connection.send(b"ping")
            answer = await asyncio.wait_for(connection.recv(), 20)
            print(role if connection.ice_controlling else "controlled", answer.decode())
            await connection.close()

        asyncio.run(main(*sys.argv[1:]))
        """
}
