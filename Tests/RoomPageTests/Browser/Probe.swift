/// What runs in a page before its own scripts: a camera and a microphone with numbers, and what sees through the page.
enum Probe {
    /// A fake camera and microphone.
    ///
    /// Pictures have a clip's number and a frame's in black and white blocks, and a color of the clip. The sound is a
    /// tone.
    /// Each member has a clip of its own; a second camera has the clip plus 8.
    ///
    /// - Parameters:
    ///   - clip: 0 to 7.
    ///   - denies: whether the user refuses camera and microphone.
    static func script(clip: Int, denies: Bool = false) -> String {
        "(\(source))(\(clip), \(denies));"
    }

    /// A camera of 160x90 at 5 frames a second, whatever is asked for.
    static let small = [
        """
        { const get = navigator.mediaDevices.getUserMedia;
          const video = {width: 160, height: 90, frameRate: 5};
          navigator.mediaDevices.getUserMedia = (all) => get({...all, video: all.video && {...all.video, ...video}}); }
        """
    ]

    private static let source = #"""
        (clip, denies) => {
          const probe = window.probe = { peers: [], tracks: [], sockets: [], wakeLocks: [], tone: 400 + 100 * clip };
          const blocks = 14;
          // Sound: a tone that a test can silence.
          let sound;
          const makeSound = () => {
            const context = new AudioContext();
            const [tone, gain] = [new OscillatorNode(context, { frequency: probe.tone }), new GainNode(context, { gain: .3 })];
            const end = new MediaStreamAudioDestinationNode(context);
            tone.connect(gain).connect(end);
            tone.start();
            probe.loudness = (value) => { gain.gain.value = value; };
            probe.pulse = (seconds) => {
              gain.gain.setValueAtTime(.3, context.currentTime);
              gain.gain.setValueAtTime(0, context.currentTime + seconds);
            };
            return end.stream.getAudioTracks()[0];
          };
          /// A picture: block 0 is white, the last one black, 4 of the clip, 8 of the frame's number.
          const makeCamera = (number, width, height, rate) => {
            const canvas = document.createElement('canvas');
            [canvas.width, canvas.height] = [width, height];
            const context = canvas.getContext('2d');
            let frame = 0;
            const bits = () => [1, ...[3, 2, 1, 0].map((bit) => number >> bit & 1),
              ...[7, 6, 5, 4, 3, 2, 1, 0].map((bit) => frame >> bit & 1), 0];
            const draw = () => {
              context.fillStyle = `hsl(${number * 47} 60% 45%)`;
              context.fillRect(0, 0, width, height);
              const size = width / blocks;
              bits().forEach((bit, index) => {
                context.fillStyle = bit ? '#fff' : '#000';
                context.fillRect(index * size, height / 2 - size, size + 1, 2 * size);
              });
              frame = (frame + 1) % 256;
            };
            draw();
            const [track] = canvas.captureStream(rate).getVideoTracks();
            const timer = setInterval(draw, 1000 / rate);
            const stop = track.stop.bind(track);
            track.stop = () => { clearInterval(timer); stop(); };
            track.getSettings = () => ({ width, height, frameRate: rate, deviceId: `camera-${number >> 3}` });
            return track;
          };
          const wish = (value, other) => typeof value === 'object' ? value.exact ?? value.ideal ?? value.max ?? other : value ?? other;
          const devices = navigator.mediaDevices;
          if (devices) {
            devices.getUserMedia = async ({ video, audio }) => {
              if (denies) throw new DOMException('Permission denied', 'NotAllowedError');
              const tracks = [];
              if (video) {
                const second = wish(video.deviceId, '') === 'camera-1' || wish(video.facingMode, 'user') === 'environment';
                tracks.push(makeCamera(clip + (second ? 8 : 0), wish(video.width, 640), wish(video.height, 360),
                  wish(video.frameRate, 15)));
              }
              if (audio) tracks.push(sound = makeSound());
              probe.tracks.push(...tracks);
              return new MediaStream(tracks);
            };
            devices.getDisplayMedia = async () => {
              const track = makeCamera(15, 800, 600, 5);
              probe.screen = track;
              probe.tracks.push(track);
              return new MediaStream([track]);
            };
            devices.enumerateDevices = async () => denies ? [] : [
              ['videoinput', 'camera-0', 'Front camera'], ['videoinput', 'camera-1', 'Back camera'],
              ['audioinput', 'microphone-0', 'Microphone'], ['audiooutput', 'speaker-0', 'Speaker'],
            ].map(([kind, deviceId, label]) => ({ kind, deviceId, label, groupId: '' }));
          }
          window.RTCPeerConnection = class extends RTCPeerConnection {
            constructor(...all) { super(...all); probe.peers.push(this); probe.offers ??= 0; }
            setLocalDescription(...all) { probe.offers += 1; return super.setLocalDescription(...all); }
          };
          window.WebSocket = class extends WebSocket {
            constructor(...all) {
              super(...all);
              probe.sockets.push(this);
              probe.sent ??= [];
              probe.got ??= [];
              this.addEventListener('message', ({ data }) => probe.got.push(JSON.parse(data)));
            }
            send(data) { probe.sent.push(JSON.parse(data)); super.send(data); }
          };
          const wakeLock = {
            request: async () => {
              const lock = new EventTarget();
              lock.released = false;
              lock.release = async () => { lock.released = true; lock.dispatchEvent(new Event('release')); };
              probe.wakeLocks.push(lock);
              return lock;
            },
          };
          Object.defineProperty(navigator, 'wakeLock', { value: wakeLock, configurable: true });

          probe.rect = (element) => {
            const { x, y, width, height } = element.getBoundingClientRect();
            return { x, y, width, height };
          };
          const isSeen = (element) => {
            const { width, height } = element.getBoundingClientRect();
            return width > 1 && height > 1 && element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
          };
          const reader = document.createElement('canvas');
          const readerContext = reader.getContext('2d', { willReadFrequently: true });
          /// The numbers in a video's picture; a clip of -1 if it has none.
          probe.picture = (video) => {
            const [width, height] = [video.videoWidth, video.videoHeight];
            if (!width || video.readyState < 2) return { clip: -1, frame: -1, color: [0, 0, 0] };
            [reader.width, reader.height] = [width, height];
            readerContext.drawImage(video, 0, 0);
            const size = width / blocks;
            const bits = Array.from({ length: blocks }, (_, index) =>
              readerContext.getImageData(Math.floor((index + .5) * size), height >> 1, 1, 1).data[1] > 127 ? 1 : 0);
            const color = [...readerContext.getImageData(width >> 1, Math.floor(height * .85), 1, 1).data].slice(0, 3);
            const number = (from, to) => bits.slice(from, to).reduce((sum, bit) => 2 * sum + bit, 0);
            const isWhole = bits[0] === 1 && bits[blocks - 1] === 0;
            return { clip: isWhole ? number(1, 5) : -1, frame: isWhole ? number(5, 13) : -1, color };
          };
          const isMirrored = (element) => {
            let sign = 1;
            for (let each = element; each; each = each.parentElement) {
              sign *= new DOMMatrix(getComputedStyle(each).transform).a < 0 ? -1 : 1;
            }
            return sign < 0;
          };
          const label = (element) => element.closest('[aria-label]')?.getAttribute('aria-label') ?? '';
          /// The videos that can be seen.
          probe.videos = () => [...document.querySelectorAll('video')].filter(isSeen).map((video) => ({
            ...probe.picture(video), rect: probe.rect(video), label: label(video), mirrored: isMirrored(video),
            width: video.videoWidth, height: video.videoHeight, fit: getComputedStyle(video).objectFit,
          }));
          /// Statistics of a type, of all connections.
          probe.stats = async (type) => {
            const found = [];
            for (const peer of probe.peers) {
              if (peer.connectionState === 'closed') continue;
              (await peer.getStats()).forEach((one) => {
                if (one.type !== type) return;
                const { id, kind, rid, mid, frameWidth, frameHeight, framesPerSecond, framesDecoded, framesSent } = one;
                const { bytesReceived, bytesSent, keyFramesDecoded, keyFramesEncoded, totalAudioEnergy, audioLevel } = one;
                found.push({ id, kind, rid, mid, frameWidth, frameHeight, framesPerSecond, framesDecoded, framesSent,
                  bytesReceived, bytesSent, keyFramesDecoded, keyFramesEncoded, totalAudioEnergy, audioLevel });
              });
            }
            return found;
          };
          /// How loud the sound is that the page plays: the greatest level of all that can be heard.
          probe.loudest = async () => {
            let sum = 0;
            for (const player of document.querySelectorAll('audio, video')) {
              if (player.muted || player.paused || !player.srcObject) continue;
              for (const track of player.srcObject.getAudioTracks()) {
                const [report] = (await Promise.all(probe.peers.filter((one) => one.connectionState !== 'closed').map((peer) => {
                  const receiver = peer.getReceivers().find((one) => one.track === track);
                  return receiver?.getStats();
                }))).filter(Boolean);
                report?.forEach((one) => { if (one.type === 'inbound-rtp') sum = Math.max(sum, one.audioLevel ?? 0); });
              }
            }
            return sum;
          };
          addEventListener('error', ({ message }) => (probe.errors ??= []).push(message));
          addEventListener('unhandledrejection', ({ reason }) => (probe.errors ??= []).push(`${reason?.stack ?? reason}`));
          document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
            (probe.errors ??= []).push(`policy: ${violatedDirective} ${blockedURI}`));
        }
        """#
}
