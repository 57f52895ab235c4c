// A light beauty for a camera: the browser's own blur, laid softly over the picture, and a little light. It finds no
// faces and needs no model; Rill's beauty in the programs does more.
//
//   const beauty = new Beauty(cameraTrack);
//   await room.replaceTrack('video', beauty.track);
//   beauty.milliseconds;  // of the page's thread for a picture, on average
//   beauty.end();

export class Beauty {
  track; milliseconds = 0;
  #video = document.createElement('video');
  #isOver = false;

  constructor(camera) {
    const canvas = document.createElement('canvas');
    const context = canvas.getContext('2d', { alpha: false });
    Object.assign(this.#video, { muted: true, playsInline: true, srcObject: new MediaStream([camera]) });
    const { width = 640, height = 360 } = camera.getSettings();
    Object.assign(canvas, { width, height });
    const next = () => {
      if (this.#isOver) return;
      // A page that is hidden draws by a timer.
      if (document.hidden || !this.#video.requestVideoFrameCallback) setTimeout(draw, 66);
      else this.#video.requestVideoFrameCallback(draw);
    };
    const draw = () => {
      if (this.#isOver) return;
      const start = performance.now();
      const { videoWidth, videoHeight } = this.#video;
      if (videoWidth && (canvas.width !== videoWidth || canvas.height !== videoHeight)) {
        Object.assign(canvas, { width: videoWidth, height: videoHeight });
      }
      Object.assign(context, { globalAlpha: 1, filter: 'none' });
      context.drawImage(this.#video, 0, 0, canvas.width, canvas.height);
      Object.assign(context, { globalAlpha: .5, filter: `blur(${canvas.height / 180}px) brightness(1.12) saturate(1.08)` });
      context.drawImage(this.#video, 0, 0, canvas.width, canvas.height);
      this.milliseconds += (performance.now() - start - this.milliseconds) / 16;
      next();
    };
    this.#video.play().catch(() => {});
    [this.track] = canvas.captureStream(30).getVideoTracks();
    next();
  }

  end() {
    this.#isOver = true;
    this.track.stop();
    this.#video.srcObject = null;
  }
}
