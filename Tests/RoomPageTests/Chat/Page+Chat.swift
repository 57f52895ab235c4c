import Foundation
import RillTestSupport

/// A message in the list of the chat, as it is seen: by rectangles, colors and text.
struct Bubble: Decodable {
    var text: String
    /// The name above it; none below the first of a run.
    var author: String?
    var authorColor: String?
    /// Its time, as `10:31:02 AM`.
    var time: String
    /// What is below it, as `read`.
    var state: String
    var rect: Rect
    /// The radii of its corners: top left, top right, bottom right, bottom left.
    var radii: [Double]
    /// The place and text of the avatar.
    var avatar: Rect?
    var initials: String?
    /// The place of the image.
    var image: Rect?
    /// Whether the image has its pixels.
    var isLoaded: Bool?
    /// How far from the first pixel of its text to the last one.
    var textWidth: Double

    /// What it answers.
    var quote: String?
}

extension Element {
    /// Whether it has a state, as `focused`, `expanded` or `checked`.
    func has(_ state: String) -> Bool { ["1", "true"].contains(properties[state] ?? "") }
}

extension Page {
    /// Opens the chat, unless it is open, and returns its field.
    @discardableResult
    func openChat() throws -> Element {
        if try !has("textbox", "Message") { try click("button", "Message") }
        return try element("textbox", "Message")
    }

    /// Writes a message as a person does.
    func say(_ text: String) throws {
        try element("textbox", "Message").focus()
        try insert(text)
        try press("Enter")
    }

    /// The list of messages.
    func list() throws -> Element { try element("list", "Messages") }

    /// The messages in the list, without its other lines.
    func bubbles() throws -> [Bubble] {
        guard try has("list", "Messages") else { return [] }
        let text = try call(bubbleScript, on: try list().node) as? String ?? "[]"
        return try JSONDecoder().decode([Bubble].self, from: Data(text.utf8))
    }

    /// Waits for a message, and returns it.
    @discardableResult
    func bubble(_ text: String, state: String? = nil, within seconds: Double = 15) throws -> Bubble {
        var found: Bubble?
        try wait("\(text) \(state ?? ""): \(try bubbles())\n\(try self.text())", within: seconds) {
            found = try bubbles().last { $0.text == text && (state == nil || $0.state == state) }
            return found != nil
        }
        return try existing(found)
    }

    /// Waits until the page shows a text.
    func shows(text: String, within seconds: Double = 15) throws {
        try wait("\"\(text)\" in \(try self.text())", within: seconds) { try self.text().contains(text) }
    }

    /// Clicks in the middle of a message.
    func click(_ bubble: Bubble) throws {
        try click(x: bubble.rect.x + bubble.rect.width / 2, y: bubble.rect.y + bubble.rect.height / 2)
    }

    /// Opens the actions of the latest message of somebody, and clicks one.
    func choose(_ action: String, of name: String) throws {
        let buttons = try all("button").filter { $0.name.hasPrefix("Actions for the message of \(name)") }
        try existing(buttons.last).click()
        try click("button", action)
    }

    /// Gives a file to the field, as a paste does.
    ///
    /// - Parameter content: JavaScript of a `Blob`, or a promise of one.
    func paste(_ name: String, _ type: String, _ content: String) throws {
        try call(
            """
            async function() {
              const data = new DataTransfer();
              data.items.add(new File([await \(content)], \(literal(name)), { type: \(literal(type)) }));
              this.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
            }
            """, on: try element("textbox", "Message").node)
    }

    /// JavaScript of an image of that size, in one color.
    static func image(_ width: Int, _ height: Int, _ type: String = "image/png") -> String {
        """
        (async () => {
          const canvas = new OffscreenCanvas(\(width), \(height));
          const context = canvas.getContext('2d');
          context.fillStyle = 'teal';
          context.fillRect(0, 0, \(width), \(height));
          return canvas.convertToBlob({ type: \(literal(type)) });
        })()
        """
    }

    /// Changes a setting of the chat.
    func set(_ setting: String, to isOn: Bool) throws {
        try click("button", "Settings of the chat")
        let box = try element("checkbox", setting)
        if box.has("checked") != isOn { try box.click() }
        try click("button", "Close")
    }

    /// How many messages of a type have come, or were sent, by WebSocket.
    func count(_ list: String, _ type: String) throws -> Int {
        try read("(probe.\(list) ?? []).filter((one) => one.type === \(literal(type))).length")
    }
}

/// Looks at each item of a list: a bubble is what has round corners around a time.
private let bubbleScript = #"""
    function() {
      const seen = (one) => one.checkVisibility({ visibilityProperty: true }) && one.getBoundingClientRect().width > 1;
      const texts = (root) => {
        const found = [];
        const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) {
          const range = document.createRange();
          range.selectNodeContents(walker.currentNode);
          const rect = range.getBoundingClientRect();
          const parent = walker.currentNode.parentElement;
          // What is for screen readers only is in a box of a pixel.
          let isSmall = false;
          for (let each = parent; each !== this; each = each.parentElement) isSmall ||= each.getBoundingClientRect().width <= 1;
          if (rect.width > 1 && seen(parent) && !isSmall) found.push({ text: walker.currentNode.data, rect, parent });
        }
        return found;
      };
      const plain = ({ x, y, width, height }) => ({ x, y, width, height });
      return JSON.stringify([...this.children].flatMap((item) => {
        const all = texts(item);
        const time = all.find(({ text }) => /\d{1,2}:\d\d:\d\d/.test(text));
        let bubble = time?.parent;
        const round = (one) => parseFloat(getComputedStyle(one).borderTopLeftRadius) + parseFloat(getComputedStyle(one).borderBottomRightRadius);
        while (bubble && bubble !== item && round(bubble) === 0) bubble = bubble.parentElement;
        if (!bubble || bubble === item) {
          // One that is not stored has no time yet: the first with round corners that is no circle.
          bubble = [...item.querySelectorAll('*')].find((one) => round(one) > 8 && one.tagName !== 'BUTTON' && one.tagName !== 'IMG'
            && getComputedStyle(one).borderTopLeftRadius !== '50%');
          if (!bubble) return [];
        }
        const rect = bubble.getBoundingClientRect();
        const style = getComputedStyle(bubble);
        const inside = texts(bubble).filter(({ parent }) => parent !== time?.parent && !parent.contains(time?.parent ?? null));
        const above = all.filter((one) => !bubble.contains(one.parent) && one.rect.bottom <= rect.top + 2);
        const below = all.filter((one) => !bubble.contains(one.parent) && one.rect.top >= rect.bottom - 2);
        const avatar = [...item.querySelectorAll('*')].find((one) => !bubble.contains(one) && seen(one)
          && getComputedStyle(one).borderTopLeftRadius === '50%');
        const image = bubble.querySelector('img');
        const words = inside.filter(({ parent }) => parent.tagName !== 'BLOCKQUOTE');
        const edges = words.map((one) => [one.rect.left, one.rect.right]).flat();
        const name = above.toSorted((one, other) => parseInt(getComputedStyle(other.parent).fontWeight) - parseInt(getComputedStyle(one.parent).fontWeight))[0];
        return [{
          text: words.map(({ text }) => text).join(''), author: name?.text, authorColor: name && getComputedStyle(name.parent).color,
          time: time?.text ?? '', state: below.map(({ text }) => text).join(' '), rect: plain(rect),
          radii: ['TopLeft', 'TopRight', 'BottomRight', 'BottomLeft'].map((corner) => parseFloat(style[`border${corner}Radius`])),
          avatar: avatar && plain(avatar.getBoundingClientRect()), initials: avatar && avatar.textContent,
          image: image && plain(image.getBoundingClientRect()), isLoaded: image ? image.complete && image.naturalWidth > 0 : undefined,
          textWidth: edges.length ? Math.max(...edges) - Math.min(...edges) : 0,
          quote: inside.filter(({ parent }) => parent.tagName === 'BLOCKQUOTE').map(({ text }) => text).join('') || undefined,
        }];
      }));
    }
    """#
