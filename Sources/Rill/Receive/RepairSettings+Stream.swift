import RillReceive
import RillSend

extension RepairSettings {
    /// What the receiver of a stream has to know of its repair.
    package init(of stream: RTPStreamSettings) {
        self.init()
        retransmission = stream.retransmission.map { Retransmission(ssrc: $0.ssrc, payloadType: $0.payloadType) }
        redPayloadType = stream.protection?.redPayloadType
        fecPayloadType = stream.protection?.payloadType
    }
}
