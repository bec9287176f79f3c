import type { World } from '../../kernel/worlds/world.ts'
import {
  configurationWithId,
  type DeliveryResponse,
  putConfiguration,
} from '../notifications/configurations.ts'
import { moveResult } from '../run-tasks/stage-moves.ts'
import { resultWithId } from '../run-tasks/stages.ts'
import { putRequest, type SentRequest, waitingRequests } from './sent-requests.ts'

/**
 * Records the reply to a request that waited. A task that was called runs, and is errored unless it
 * accepted the call; a task that has called back already stays as it is.
 */
export function deliveryEnded(
  world: World,
  { id, subject, kind }: SentRequest,
  response: DeliveryResponse,
): void {
  // A world that was reset counts its messages from the start.
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
    if (successful) moveResult(world, result, 'running')
    else {
      const message = code === '' ? body : `The task answered with the status ${code}`
      moveResult(world, result, 'errored', { message })
    }
  })
}
