import type { World } from '../../kernel/worlds/world.ts'
import {
  configurationWithId,
  type DeliveryResponse,
  putConfiguration,
} from '../notifications/configurations.ts'
import { moveTaskResult } from '../run-tasks/stage-moves.ts'
import { resultWithId } from '../run-tasks/stages.ts'
import { putRequest, type SentRequest, waitingRequests } from './sent-requests.ts'

/**
 * Records the response to a request that is still waiting: the request becomes `delivered` or
 * `failed`. Does nothing for any other request. For a notification, also stores the response as the
 * last response of the configuration. For a run task, changes a pending task result to `running`
 * after a successful call, and to `errored` after a failed call.
 */
export function recordDelivery(
  world: World,
  { id, subject, kind }: SentRequest,
  response: DeliveryResponse,
): void {
  // Ids repeat after a reset of the world, so the subject is compared as well.
  const request = waitingRequests(world).find((one) => one.id === id && one.subject === subject)
  if (request === undefined) return
  const { successful, code, body } = response
  world.write(() => {
    putRequest(world, { ...request, state: successful ? 'delivered' : 'failed' })
    if (kind === 'notification') {
      const configuration = configurationWithId(world, subject)
      if (configuration !== undefined) {
        putConfiguration(world, { ...configuration, last_response: response })
      }
      return
    }
    const result = resultWithId(world, subject)
    if (result?.status !== 'pending') return
    if (successful) moveTaskResult(world, result, 'running')
    else {
      const message = code === '' ? body : `The task answered with the status ${code}`
      moveTaskResult(world, result, 'errored', { message })
    }
  })
}
