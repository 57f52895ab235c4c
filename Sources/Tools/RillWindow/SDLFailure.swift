#if Window
import CSDL

/// An operation that failed in SDL, with SDL's own message.
package struct SDLFailure: Error, CustomStringConvertible {
    package let description: String

    init(_ what: String, _ reason: String? = nil) {
        description = unsafe "\(what): \(reason ?? String(cString: SDL_GetError()))"
    }
}
#endif
