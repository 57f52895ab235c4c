import RillCore
import RillPeer
import RillRTP
import RillSession
import Testing

@testable import Rill

/// The places of a participant's layers, while sections come and go.
@Suite struct LayerPlacesTests {
    private func stream(_ rid: String?, _ type: UInt8 = 96) -> StreamDescription {
        var stream = StreamDescription(PayloadType(type), RTPFormat.Encoding("VP8"))
        stream.rid = rid
        return stream
    }

    /// The media of a peer that sends these streams.
    private func received(_ media: inout PeerMedia, _ streams: [StreamDescription]) throws -> [PeerReceivingStream] {
        _ = try media.apply([NegotiatedSection(sending: [], receiving: streams)], at: .zero)
        return media.receiving
    }

    @Test func `A stream keeps its place, and another one takes that of a layer whose section is gone`() throws {
        var media = PeerMedia(unprotected: RTPSessionSettings(seed: 1))
        var places = LayerPlaces([stream("h"), stream("l")], [])
        let first = try received(&media, [stream("h"), stream("l")])
        #expect(places.take(first) == [0, 1] && places.streams == first.map(\.id))
        // Other payload types: the same streams.
        let again = try received(&media, [stream("h", 108), stream("l", 108)])
        #expect(places.take(again) == [])
        #expect(places.descriptions.map(\.payloadType) == [PayloadType(108), PayloadType(108)])
        #expect(again.map(\.id) == first.map(\.id))
        // The section ends, and another has a layer of the same name, and one of a new one.
        _ = try media.apply([], at: .zero)
        #expect(places.take(media.receiving) == [] && places.streams == [nil, nil])
        let second = try received(&media, [stream("l"), stream("x")])
        #expect(places.take(second) == [1, 2])
        #expect(places.streams == [nil, second[0].id, second[1].id])
        #expect(places.descriptions.map(\.rid) == ["h", "l", "x"])
    }

    @Test func `A layer that cannot be received has a place, and no stream`() throws {
        var media = PeerMedia(unprotected: RTPSessionSettings(seed: 1))
        var places = LayerPlaces([stream("broken"), stream("h")], [])
        let streams = try received(&media, [stream("h")])
        #expect(places.take(streams) == [1] && places.streams == [nil, streams[0].id])
    }
}
