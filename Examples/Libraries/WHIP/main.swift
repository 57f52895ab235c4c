// library-whip: RillWHIP alone. One client publishes a stream at an endpoint's URL, and another one watches it. The
// requests stay in this process, and the endpoint's host has sessions without media.

import RillWHIP

let origin = "https://example.org"
let host = MemoryStreamHost()
let endpoint = WHIPEndpoint(
    host: host, settings: WHIPEndpointSettings(iceServers: [ICEServer("stun:stun.example.org")]))

/// Does what a client asks for, until it waits or has ended. An app sends the requests by its HTTP library.
@MainActor func drive(_ client: inout WHIPClient, at now: MediaTime) {
    while true {
        switch client.poll(at: now) {
        case .send(var request, let id, timeout: _):
            request.target.removeFirst(origin.count)
            let response = endpoint.respond(to: request, access: .unrestricted)
            print("\(request.method) \(request.target): \(response.status)")
            client.insert(response, to: id, at: now)
        case .event(.offerNeeded):
            // An app makes a connection here (RillPeer, or WebRTCPort of Rill), and gives its offer.
            client.setOffer("v=0\r\n", at: now)
        case .event(.answered(let answer)):
            client.noteConnected(at: now)
            print("answered, \(answer.iceServers.map(\.url)), layers: \(answer.selectsLayers)")
        case .event(let event):
            print(event)
        case .wait, .ended:
            return
        }
    }
}

var publisher = try WHIPClient(.publish, at: origin + "/whip/stage", from: .zero)
drive(&publisher, at: .zero)
var viewer = try WHIPClient(.watch, at: origin + "/whep/stage", from: .zero)
drive(&viewer, at: .zero)
viewer.select("low", at: .zero)
drive(&viewer, at: .zero)

let (streams, layers) = (host.streams.map(\.name), host.sessions.values.compactMap(\.layer))
viewer.close(at: .zero)
drive(&viewer, at: .zero)
publisher.close(at: .zero)
drive(&publisher, at: .zero)
print("streams: \(streams), selected: \(layers), sessions at the end: \(host.sessions.count)")
