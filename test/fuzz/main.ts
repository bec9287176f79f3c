/**
 * Entry point of `npm run fuzz`: records or replays a run if a flag says so, and otherwise fuzzes.
 */
const isRecording = process.argv.some((word) => /^--(record|replay)(=|$)/.test(word))
await (isRecording ? import('./recording/run.ts') : import('./run.ts'))
