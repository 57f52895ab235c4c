// All texts of the room's page that a script shows.

export const texts = {
  joining: 'Joining …', joinFailed: (code) => `Join channel failed: ${code}`, guest: 'Guest',
  viewer: (why) => `You join as a viewer, without camera and microphone: ${why}`,
  needsHTTPS: 'browsers give pages a camera over HTTPS or from localhost only.',
  nameless: 'Type the room’s name first.', keyless: 'The link has an empty key: you would join without encryption.',
  over: (reason) => `The room is over for you: ${reason}.`,
  interrupted: 'Connection Interrupted', title: 'Join a room',
  you: (name) => `${name} (you)`, encrypted: 'encrypted', micOff: 'microphone off', cameraOff: 'camera off',
  speaking: 'speaking', away: 'connection interrupted', screen: (name) => `${name}’s screen`,
  waiting: 'Waiting for others to join …', copied: 'The link is copied.',
  statistics: ({ width, height, framesPerSecond, kilobits }) =>
    `${width ?? 0}×${height ?? 0}, ${Math.round(framesPerSecond)} fps (${kilobits} kbit/s)`,
  why: ({ layer, paused, lost }) => `${paused ? 'paused' : `${layer ?? 'no'} layer`}, ${lost} packets lost`,
  layers: { high: 'shown large', low: 'shown small' },
  profile: ({ width, height, frameRate, bitrate }) =>
    `${width}×${height}, ${frameRate} fps, ${bitrate ? `${bitrate / 1000} kbit/s` : '– kbit/s'}`,
  sound: (level) => `Sound ${level}`, cameraGone: 'The camera or microphone was taken away.',
  device: (kind, index) => `${{ videoinput: 'Camera', audioinput: 'Microphone', audiooutput: 'Speaker' }[kind]} ${index}`,
  audience: 'viewer', host: 'host', speaker: '', people: (count) => `People (${count})`,
};
