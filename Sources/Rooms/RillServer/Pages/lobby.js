// The lobby: names, encryption, what the camera sends, devices, and the preview.

import { texts } from '/texts.js';

const element = (id) => document.getElementById(id);

/// Names and keys of rooms: letters, digits and marks, without spaces, quotes, stars and slashes; at most 89.
const refused = /[^A-Za-z0-9`!#$%&()+,\-:;<=.>?@[\]^_{|}~]/g;
export const clean = (text) => text.replace(refused, '').slice(0, 89);

/// What a camera may send.
export const profiles = [
  [160, 120, 65_000], [320, 180], [320, 240, 200_000], [640, 360, 400_000], [640, 480, 500_000], [1280, 720, 1_130_000],
].map(([width, height, bitrate]) => ({ width, height, bitrate, frameRate: 15 }));

/// The camera and the microphone of this page.
export class Devices extends EventTarget {
  stream = new MediaStream();
  profile = profiles[3];
  /// Why there are none, in words.
  problem;
  chosen = {};

  get camera() { return this.stream.getVideoTracks()[0]; }
  get microphone() { return this.stream.getAudioTracks()[0]; }

  /// Opens both, or what there is of them.
  async open() {
    this.problem = undefined;
    if (!navigator.mediaDevices) return this.#fail(texts.needsHTTPS);
    let error;
    for (const kinds of [['video', 'audio'], ['audio'], ['video']]) {
      try {
        const all = { video: this.#constraints(), audio: this.chosen.audioinput ? { deviceId: this.chosen.audioinput } : true };
        const stream = await navigator.mediaDevices.getUserMedia(Object.fromEntries(kinds.map((kind) => [kind, all[kind]])));
        this.close();
        this.stream = stream;
        return this.dispatchEvent(new Event('change'));
      } catch (failure) {
        error ??= failure;
        if (failure.name === 'NotAllowedError') break;
      }
    }
    return this.#fail(error.message);
  }

  #constraints() {
    const { width, height, frameRate } = this.profile;
    const id = this.chosen.videoinput;
    return { width: { ideal: width }, height: { ideal: height }, frameRate: { ideal: frameRate }, ...(id && { deviceId: { exact: id } }) };
  }

  #fail(why) {
    this.close();
    this.problem = why;
    this.dispatchEvent(new Event('change'));
  }

  /// Another camera of the same profile: the former one goes on until its track is stopped.
  async other(kind, id) {
    this.chosen[kind] = id;
    const wish = kind === 'videoinput' ? { video: this.#constraints() } : { audio: { deviceId: { exact: id } } };
    const [track] = (await navigator.mediaDevices.getUserMedia(wish)).getTracks();
    for (const former of this.stream.getTracks()) if (former.kind === track.kind) this.stream.removeTrack(former);
    this.stream.addTrack(track);
    this.dispatchEvent(new Event('change'));
    return track;
  }

  /// The camera after the present one; undefined if there is no other.
  async next() {
    const cameras = (await this.list('videoinput')).map(({ deviceId }) => deviceId);
    const index = cameras.indexOf(this.camera?.getSettings().deviceId);
    return cameras.length > 1 ? cameras[(index + 1) % cameras.length] : undefined;
  }

  async list(kind) {
    return (await navigator.mediaDevices?.enumerateDevices() ?? []).filter((device) => device.kind === kind);
  }

  close() {
    for (const track of this.stream.getTracks()) track.stop();
    this.stream = new MediaStream();
  }
}

/// Makes a field take only what a name may have, with the caret where it was.
function filter(field) {
  field.addEventListener('input', () => {
    const text = clean(field.value);
    if (text === field.value) return;
    const place = clean(field.value.slice(0, field.selectionStart)).length;
    field.value = text;
    field.setSelectionRange(place, place);
  });
}

/// Opens a dialog. Returns what its button says: empty for Cancel and the Escape key.
function ask(dialog) {
  dialog.returnValue = '';
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener('close', () => resolve(dialog.returnValue), { once: true }));
}

/// What is in the lobby, and calls join when somebody wants in.
export class Lobby {
  bits = 128;
  #form = element('lobby');
  #devices;

  constructor(devices, join) {
    this.#devices = devices;
    const { room, secret } = this.#form.elements;
    for (const field of [room, secret]) filter(field);
    // Return leaves this field, and does not join.
    secret.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter') return;
      event.preventDefault();
      secret.blur();
    });
    this.#form.addEventListener('submit', (event) => { event.preventDefault(); if (clean(room.value)) join(); else { element('status').textContent = texts.nameless; room.focus(); } });
    element('cipher').addEventListener('click', async () => {
      this.bits = Number(await ask(element('ciphers'))) || this.bits;
      this.#name();
    });
    element('profile').addEventListener('click', () => this.#chooseProfile());
    element('devices').addEventListener('click', () => showSettings(devices));
    const preview = element('preview');
    for (const type of ['loadedmetadata', 'resize']) {
      preview.addEventListener(type, () => {
        const { videoWidth: width, videoHeight: height } = preview;
        if (!width) return;
        preview.parentElement.style.setProperty('--aspect', `${width} / ${height}`);
        preview.parentElement.style.setProperty('--ratio', width / height);
      });
    }
    devices.addEventListener('change', () => {
      preview.srcObject = devices.camera ? devices.stream : null;
      preview.classList.toggle('live', devices.camera !== undefined);
    });
    this.#name();
  }

  get fields() {
    const { room, name, secret } = this.#form.elements;
    return { room: clean(room.value), name: name.value.trim() || texts.guest, secret: secret.value };
  }

  /// Fills it in. A key is kept as it is: another one, or none, is not what the others have.
  set({ room, name, secret, bits }) {
    const { elements } = this.#form;
    if (room) elements.room.value = clean(room);
    if (name) elements.name.value = name;
    if (secret) elements.secret.value = secret;
    if (Number(bits) === 256) this.bits = 256;
    this.#name();
  }

  #name() {
    element('cipher').textContent = `AES ${this.bits}`;
    element('profile').textContent = texts.profile(this.#devices.profile);
  }

  async #chooseProfile() {
    const dialog = element('profiles');
    dialog.querySelector('.choices').replaceChildren(...profiles.map((profile, index) => {
      const [label, input] = [document.createElement('label'), document.createElement('input')];
      Object.assign(input, { type: 'radio', name: 'profile', value: index, checked: profile === this.#devices.profile });
      label.append(input, texts.profile(profile));
      return label;
    }));
    if (await ask(dialog) !== 'ok') return;
    this.#devices.profile = profiles[dialog.querySelector('input:checked').value];
    this.#name();
    await this.#devices.open();
  }
}

/// The dialog of devices and the view: chosen(kind, id) is called for what is changed.
export async function showSettings(devices, chosen = (kind, id) => devices.other(kind, id)) {
  for (const kind of ['videoinput', 'audioinput', 'audiooutput']) {
    const select = element(kind);
    const list = await devices.list(kind);
    select.replaceChildren(...list.map(({ deviceId, label }, index) => new Option(label || texts.device(kind, index + 1), deviceId)));
    const track = { videoinput: devices.camera, audioinput: devices.microphone }[kind];
    select.value = devices.chosen[kind] ?? track?.getSettings().deviceId ?? list[0]?.deviceId ?? '';
    if (!select.value) select.selectedIndex = 0;
    select.disabled = list.length === 0;
    select.onchange = () => chosen(kind, select.value).catch(() => {});
  }
  await ask(element('settings'));
}
