import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { formatTimestamp } from '../../../state/kernel/time.ts'
import type { LoggedRequest, RequestRecord } from '../journal-hooks/request-record.ts'
import { LiveBody } from './live-body.ts'

/** Levels of log lines, the least important first. */
const logLevels = ['trace', 'debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof logLevels)[number]

/** A line of a product's log, without its time. */
export interface LogLine {
  readonly level: LogLevel
  /** Name of the part of the product that writes the line. */
  readonly logger: string
  readonly message: string
  readonly details: Readonly<Record<string, string | number>>
}

interface LogStreamOptions {
  readonly response: ServerResponse
  /** Record of the request whose response is the stream. */
  readonly record: RequestRecord
  /** The least important level to send; undefined to send no line. */
  readonly level: LogLevel | undefined
  /** True for lines of JSON, false for the text format of the products. */
  readonly isJson: boolean
  /** Returns the line that the product writes about a request. */
  lineOf(request: LoggedRequest): LogLine
  /**
   * Event that ends the stream, with the last text of the stream; undefined if no event ends the
   * stream.
   */
  readonly ending?: {
    readonly text: string
    /** Calls `end` when the event happens. Returns a function that stops watching. */
    watch(end: () => void): () => void
  }
}

/** Parses the name of a level, ignoring case. Returns undefined for an unknown name. */
export function parseLogLevel(name: string): LogLevel | undefined {
  return logLevels.find((level) => level === name.toLowerCase())
}

/**
 * Streams the log of a product. Each later request to the product's API in the world adds one line,
 * if the line has at least the requested level. The body ends when the client disconnects or reads
 * too slowly, when the world ends, or at the event `ending`.
 */
export function logStream(options: LogStreamOptions): Readable {
  const { response, record, level, isJson, lineOf, ending } = options
  const { world, api, worldRecords } = record
  const stopAll = () => {
    for (const stop of stops) stop()
  }
  const body = new LiveBody(response, stopAll)
  const format = isJson ? formatJsonLine : formatLine
  const minLevelIndex = level === undefined ? logLevels.length : logLevels.indexOf(level)
  const stops = [
    worldRecords.followLog((request) => {
      if (request.api !== api.name) return
      const line = lineOf(request)
      if (logLevels.indexOf(line.level) >= minLevelIndex) body.send(format(line, request.at))
    }),
    world.store.watchers.watchReplacement(() => {
      if (world.closed) body.end()
    }),
  ]
  if (ending !== undefined) {
    stops.push(
      ending.watch(() => {
        // Stops the log lines before `ending.text` is sent. The request that ends the stream is
        // logged afterwards, and its line must not follow the text.
        stopAll()
        body.send(ending.text)
        body.end()
      }),
    )
  }
  return body
}

/** Width to which levels in brackets are padded, in characters. */
const bracketWidth = '[error]'.length

/** Formats a line as the products' logger does, with a time that has three decimals. */
function formatLine({ level, logger, message, details }: LogLine, at: number): string {
  const bracket = `[${level.toUpperCase()}]`.padEnd(bracketWidth)
  const pairs = Object.entries(details).map(([name, value]) => `${name}=${value}`)
  return `${formatInstant(at, 3)} ${bracket} ${logger}: ${message}: ${pairs.join(' ')}\n`
}

/** Formats a line as the products' logger does in JSON, with a time that has six decimals. */
function formatJsonLine({ level, logger, message, details }: LogLine, at: number): string {
  const head = { '@level': level, '@message': message, '@module': logger }
  return `${JSON.stringify({ ...head, '@timestamp': formatInstant(at, 6), ...details })}\n`
}

/** Formats an instant in RFC 3339 with a fixed number of decimals of the second. */
function formatInstant(instant: number, decimals: number): string {
  const [seconds = '', fraction = ''] = formatTimestamp(instant).replace('Z', '').split('.')
  return `${seconds}.${fraction.padEnd(decimals, '0')}Z`
}
