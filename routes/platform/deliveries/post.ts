import type { World } from '../../../state/kernel/worlds/world.ts'
import type { SentRequest } from '../../../state/platform/deliveries/sent-requests.ts'
import type { DeliveryResponse } from '../../../state/platform/notifications/configurations.ts'
import type { DialectName } from '../../http/declare/dialect.ts'
import { sendAndRead } from '../../http/http-exchange.ts'
import { headersOf } from './request-headers.ts'

/** Maximum time that a receiver may take, in milliseconds of real time. */
const deliveryTimeout = 10_000

/**
 * Posts a request to its address. Resolves to the reply of the receiver. If the receiver cannot be
 * reached or takes too long, the reply has an empty code, and the reason as its body.
 */
export async function post(
  world: World,
  request: Omit<SentRequest, 'id' | 'state'>,
  dialect: DialectName,
  signal?: AbortSignal,
): Promise<DeliveryResponse> {
  const { url } = request
  try {
    const { status, headers, text } = await sendAndRead({
      method: 'POST',
      url,
      headers: headersOf(request, dialect),
      body: JSON.stringify(request.body),
      ca: [],
      timeout: deliveryTimeout,
      ...(signal === undefined ? {} : { signal }),
    })
    return {
      url,
      body: text,
      code: String(status),
      headers: listsOf(headers),
      sent_at: world.clock.now(),
      successful: status >= 200 && status < 300,
    }
  } catch (error) {
    const body = error instanceof Error ? error.message : String(error)
    return { url, body, code: '', headers: {}, sent_at: world.clock.now(), successful: false }
  }
}

function listsOf(headers: NodeJS.Dict<string | string[]>): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value = []]) => [name, [value].flat()]),
  )
}
