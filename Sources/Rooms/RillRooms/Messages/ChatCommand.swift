/// What a client asks of a room's chat.
public enum ChatCommand: Equatable, Sendable {
    /// Write a message. The same key of the same author again is the same message, and gets the same answer.
    case write(key: String, text: String, replyTo: Int?, image: ChatImage?)
    /// Give a message another text: its author within a time, or a host.
    case edit(Int, text: String)
    /// Delete a message: its author within a time, or a host.
    case delete(Int)
    /// Show others that one is typing.
    case typing
    /// Say up to where one has read.
    case read(Int)
    /// Ask for messages.
    case history(ChatPage)
    /// Turn the chat on or off, as a host.
    case setEnabled(Bool)
    /// Let an author write no more, or again, as a host.
    case block(String, Bool)
    /// Report a message to the hosts.
    case report(Int, ChatReport.Reason, text: String)
    /// Ask for the reports, as a host.
    case reports

    var name: RoomCommand.Name {
        switch self {
        case .write: .chat
        case .edit: .edit
        case .delete: .delete
        case .typing: .typing
        case .read: .read
        case .history: .history
        case .setEnabled: .setChat
        case .block: .block
        case .report: .report
        case .reports: .reports
        }
    }
}
