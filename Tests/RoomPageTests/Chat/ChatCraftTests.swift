import Foundation
import RillTestSupport
import Testing

/// The craft of the chat: contrast, nothing off screen, no scrolling within scrolling, quiet live regions.
@Suite(.enabled(if: Peer.chromium.isInstalled && isLongRun, "with --all, and chromium"))
struct ChatCraftTests {
    @Test(arguments: [(390, 844), (768, 1024), (1280, 720)], ["light", "dark"])
    func `In every width and scheme: contrast AA, no text cut, no control off screen, one scroll`(
        _ size: (Int, Int), _ scheme: String
    ) throws {
        let meeting = try Meeting()
        let host = try meeting.join(
            "Anna", "&role=host", size: size, denies: true, features: ["prefers-color-scheme": scheme])
        let guest = try meeting.join("Ben Berg", size: size, denies: true, features: ["prefers-color-scheme": scheme])
        for page in [host, guest] { try page.openChat() }
        for text in ["Hello", "Shall we begin?", String(repeating: "a long text that is wrapped ", count: 5)] {
            try host.say(text)
        }
        try guest.bubble("Shall we begin?")
        try guest.say("Yes, of course")
        for text in ["Fine", "\u{1F600} שלום"] { try host.say(text) }
        try guest.bubble("\u{1F600} שלום")
        for (name, page) in [("host", host), ("guest", guest)] {
            struct Finding: Decodable { var low: [String]; var off: [String]; var cut: [String]; var nested: [String] }
            let finding: Finding = try page.read("(\(craftScript))()")
            #expect(finding.low == [] && finding.off == [] && finding.cut == [] && finding.nested == [], "\(name)")
            if let folder = shots { try save(page.screenshot(), "\(folder)/chat-\(size.0)-\(scheme)-\(name).png") }
        }
        if let folder = shots {
            try guest.click(try guest.bubble("Fine"))
            _ = try guest.element("button", "Report")
            try save(guest.screenshot(), "\(folder)/chat-\(size.0)-\(scheme)-menu.png")
            try guest.click("button", "Report")
            _ = try guest.element("button", "Send report")
            try save(guest.screenshot(), "\(folder)/chat-\(size.0)-\(scheme)-report.png")
            try host.set("Over the pictures, with the last 20", to: true)
            try save(host.screenshot(), "\(folder)/chat-\(size.0)-\(scheme)-over.png")
        }
    }

    @Test func `Screen readers hear one message, or how many, and not each one of a flood`() throws {
        let meeting = try Meeting()
        let page = try meeting.join("Anna", denies: true)
        try page.openChat()
        try page.evaluate(
            """
            (() => {
              window.said = [];
              new MutationObserver((changes) => {
                for (const { target } of changes) {
                  const region = (target.closest ? target : target.parentElement)?.closest('[aria-live=polite], [role=status], [role=log]');
                  if (region?.textContent) said.push(region.textContent);
                }
              }).observe(document.body, { childList: true, subtree: true, characterData: true });
            })()
            """)
        try page.talk(in: "lobby", as: "Ben", ["hello"])
        try wait("said") { try page.read("said.includes('Ben: hello')") }
        try page.evaluate(
            "for (let index = 0; index < 12; index += 1) talker.ask({ type: 'chat', id: 50 + index, key: `f${index}`, text: `f${index}` })"
        )
        try page.bubble("f11")
        try wait("counted: \(try page.read("said", as: [String].self))") {
            try page.read("said.some((one) => one.endsWith('new messages'))")
        }
        usleep(2_500_000)
        #expect(try page.read("said.filter((one) => one.startsWith('Ben: f')).length") <= 1)
        #expect(try page.read("said.filter((one) => one.includes('new messages')).length") <= 3)
    }

    @Test func `Less motion: nothing is animated where one asks for that`() throws {
        let meeting = try Meeting()
        let page = try meeting.join("Anna", denies: true, features: ["prefers-reduced-motion": "reduce"])
        try page.openChat()
        try page.say("hello")
        try page.bubble("hello")
        #expect(
            try page.call(
                "function() { return this.getAnimations({ subtree: true }).length; }", on: try page.list().node) as? Int
                == 0)
    }
}

/// Where pictures of the views go; none without `RILL_SHOTS`.
private var shots: String? { unsafe getenv("RILL_SHOTS").map { unsafe String(cString: $0) } }

private func save(_ bytes: [UInt8], _ path: String) throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }

/// Looks at what is beside or above the list of messages: the chat is what contains it and the field.
private let craftScript = #"""
    () => {
      const list = document.querySelector('[aria-label="Messages"][role=list]');
      const chat = document.querySelector('[aria-label="Message"]').closest('section');
      const seen = (one) => one.checkVisibility({ visibilityProperty: true }) && one.getBoundingClientRect().width > 1;
      const parse = (color) => (color.match(/[\d.]+/g) ?? []).map(Number);
      const light = ([r, g, b]) => [r, g, b].map((value) => value / 255).map((value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
        .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
      const ground = (one) => {
        for (let each = one; each; each = each.parentElement) {
          const color = parse(getComputedStyle(each).backgroundColor);
          if (color.length === 3 || color[3] === 1) return color;
        }
        return [255, 255, 255];
      };
      const found = { low: [], off: [], cut: [], nested: [] };
      const walker = document.createTreeWalker(chat, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const one = walker.currentNode.parentElement;
        if (!walker.currentNode.data.trim() || !seen(one)) continue;
        const [front, back] = [light(parse(getComputedStyle(one).color)), light(ground(one))];
        const ratio = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
        if (ratio < 4.5) found.low.push(`${walker.currentNode.data}: ${ratio}`);
        const { left, right } = (() => { const range = document.createRange(); range.selectNodeContents(walker.currentNode); return range.getBoundingClientRect(); })();
        if (left < -0.5 || right > innerWidth + 0.5) found.cut.push(walker.currentNode.data);
      }
      for (const one of chat.querySelectorAll('button, textarea, input')) {
        if (!seen(one) || list.contains(one)) continue;
        const { left, right, top, bottom } = one.getBoundingClientRect();
        if (left < 0 || right > innerWidth || top < 0 || bottom > innerHeight) found.off.push(one.ariaLabel ?? one.textContent);
      }
      const scrolls = (one) => one.scrollHeight > one.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(one).overflowY);
      for (let each = list.parentElement; each && each !== document.documentElement; each = each.parentElement) if (scrolls(each)) found.nested.push(each.tagName);
      return found;
    }
    """#
