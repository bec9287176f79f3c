import { timeOfDay } from './text.ts'

/** Log line of a test run. */
interface LogLine {
  readonly time: string
  readonly level: string
  readonly message: string
}

/**
 * Parses a log of JSON lines. The marks for start (U+0002) and end (U+0003) are ignored. A line
 * that is not JSON becomes a message without time and level.
 */
export function logLines(log: string): readonly LogLine[] {
  return log
    .replaceAll('\u0002', '')
    .replaceAll('\u0003', '')
    .split('\n')
    .filter((line) => line !== '')
    .map(parseLine)
}

function parseLine(text: string): LogLine {
  try {
    const parsed = JSON.parse(text)
    const { '@timestamp': at = '', '@level': level = '', '@message': message = text } = parsed
    return { time: timeOfDay(String(at)), level: String(level), message: String(message) }
  } catch {
    return { time: '', level: '', message: text }
  }
}
