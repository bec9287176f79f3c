/** `npm run fuzz`: records or replays a run if asked to, else looks for faults. */
const isRecording = process.argv.some((word) => /^--(record|replay)(=|$)/.test(word))
await (isRecording ? import('./recording/run.ts') : import('./run.ts'))
