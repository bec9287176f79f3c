import { connect as connectPlain } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { setAlarm } from '../../state/kernel/time.ts'
import { ExchangeTimeout } from './http-exchange.ts'

/** A TCP connection that this process opens, for example for a health check, and then closes. */
interface TcpExchange {
  readonly host: string
  readonly port: number
  /** Settings of the TLS handshake; undefined for a plain connection. */
  readonly tls: { readonly serverName: string; readonly skipsVerification: boolean } | undefined
  /** Maximum time to connect, in milliseconds of real time. */
  readonly timeout: number
  readonly signal: AbortSignal
}

/**
 * Opens a connection and closes it. Rejects if the connection fails or is aborted, and with an
 * `ExchangeTimeout` after the timeout.
 */
export function openConnection(exchange: TcpExchange): Promise<void> {
  const { host, port, tls, timeout, signal } = exchange
  return new Promise((resolve, reject) => {
    const socket =
      tls === undefined
        ? connectPlain({ host, port, signal })
        : connectTls({
            ...{ host, port, rejectUnauthorized: !tls.skipsVerification },
            ...(tls.serverName !== '' && { servername: tls.serverName }),
          })
    const end = (report: () => void) => {
      timer.cancel()
      signal.removeEventListener('abort', abort)
      socket.destroy()
      report()
    }
    const fail = (error: Error) => end(() => reject(error))
    const abort = () => fail(new Error('aborted'))
    const timer = setAlarm(timeout, () => fail(new ExchangeTimeout(`no answer in ${timeout} ms`)))
    signal.addEventListener('abort', abort)
    socket.once(tls === undefined ? 'connect' : 'secureConnect', () => end(resolve))
    socket.on('error', fail)
  })
}
