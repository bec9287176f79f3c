import { Connection } from './connection.ts'

const connections = 10

/** Requests to send, their target and their rate. */
interface Load {
  readonly url: string
  /** Requests, sent in rotation. */
  readonly requests: readonly Buffer[]
  readonly seconds: number
  /**
   * Requests per second, evenly spaced. By default, each request is sent as soon as the previous
   * one is answered.
   */
  readonly rate?: number
}

/** Number of answers, and the seconds from the first request to the last answer. */
interface LoadResult {
  readonly answers: number
  readonly seconds: number
}

/** Sends a load over ten keep-alive connections. Throws if a request is refused. */
export async function runLoad({
  url,
  requests,
  seconds,
  rate = Infinity,
}: Load): Promise<LoadResult> {
  let failure: Error | undefined
  const open = Array.from({ length: connections }, () =>
    Connection.open(url, (error) => {
      failure = error
    }),
  )
  const idle = await Promise.all(open)
  const all = [...idle]
  const begin = performance.now()
  const elapsed = () => (performance.now() - begin) / 1000
  let sent = 0
  let answered = 0
  const sendDue = () => {
    const elapsedSeconds = elapsed()
    while (elapsedSeconds < seconds && sent < elapsedSeconds * rate && failure === undefined) {
      const connection = idle.pop()
      const request = requests[sent % requests.length]
      if (connection === undefined || request === undefined) return
      sent++
      connection.send(request, () => {
        answered++
        idle.push(connection)
        sendDue()
      })
    }
  }
  while (failure === undefined && (elapsed() < seconds || answered < sent)) {
    sendDue()
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  const result = { answers: answered, seconds: elapsed() }
  for (const connection of all) connection.close()
  if (failure !== undefined) throw failure
  return result
}
