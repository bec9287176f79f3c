import { recordDelivery } from '../../../state/platform/deliveries/delivery-ends.ts'
import {
  type SentRequest,
  waitingRequests,
} from '../../../state/platform/deliveries/sent-requests.ts'
import { outboxNumber } from '../../../state/platform/settings/outbox.ts'
import { BackgroundExchanges } from '../../http/background-exchanges.ts'
import type { DialectName } from '../../http/declare/dialect.ts'
import { post } from './post.ts'

/**
 * Creates the background worker that sends the notifications and run task calls in the outboxes of
 * all worlds.
 */
export function createDeliveries(dialect: DialectName): BackgroundExchanges<SentRequest> {
  return new BackgroundExchanges<SentRequest>({
    // Each recorded request gets a number, so this row changes with the outbox.
    watch: (world, wake) => void world.store.watchers.watchKey(outboxNumber.id, 'outbox', wake),
    waiting: waitingRequests,
    keyOf: ({ id }) => id,
    async perform(world, request, signal) {
      const response = await post(world, request, dialect, signal)
      return () => recordDelivery(world, request, response)
    },
  })
}
