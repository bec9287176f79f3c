import { once } from 'node:events'
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { onTestFinished } from 'vitest'
import type { PlatformOptions } from '../../../state/platform/options.ts'
import { platform } from './platform.ts'
import { createVersion, localPart } from './platform-tests.ts'

export const mebibyte = 1024 * 1024
/**
 * Starts a server on a socket, with a configuration version to upload to and a client whose
 * connection stays open.
 */
export async function uploadServer(options: Partial<PlatformOptions> = {}) {
  const mock = await platform({ options: { autoCreateTestRunOnUpload: false, ...options } })
  const origin = await mock.app.listen({ port: 0, host: '127.0.0.1' })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const version = await createVersion(mock.platform)
  const url = origin + localPart(version.attributes['upload-url'])
  return {
    ...mock,
    origin,
    url,
    id: String(version.id),
    put: (headers: Readonly<Record<string, string | number>> = {}, usedAgent = agent) =>
      request(url, { method: 'PUT', agent: usedAgent, headers }),
    statusOf: async () => {
      const { body } = await mock.platform.get(`configuration-versions/${version.id}`)
      return body.data.attributes.status
    },
  }
}

/** Waits for the reply of a request. Returns its status and its text. */
export async function answerTo(clientRequest: ClientRequest) {
  const [response]: IncomingMessage[] = await once(clientRequest, 'response')
  if (response === undefined) throw new Error('no response')
  let text = ''
  for await (const bytes of response) text += String(bytes)
  return { status: response.statusCode, text }
}

/** Sends a buffer several times, as fast as the server reads it. */
export async function writeRepeatedly(
  clientRequest: ClientRequest,
  bytes: Buffer,
  times: number,
): Promise<void> {
  for (let count = 0; count < times; count += 1) {
    if (!clientRequest.write(bytes)) await once(clientRequest, 'drain')
  }
}
