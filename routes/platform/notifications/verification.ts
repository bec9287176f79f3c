import { type Deferred, defer } from '../../../state/kernel/worlds/deferred.ts'
import { simulatesFailure } from '../../../state/platform/deliveries/urls.ts'
import { requireFound } from '../../../state/platform/messages.ts'
import { storeVerifiedConfiguration } from '../../../state/platform/notifications/changes.ts'
import {
  configurationWithId,
  type DeliveryResponse,
  type NotificationConfiguration,
  putConfiguration,
} from '../../../state/platform/notifications/configurations.ts'
import {
  mail,
  requestOf,
  simulatedResponse,
  verificationOf,
} from '../../../state/platform/notifications/messages.ts'
import { optionsOf } from '../../../state/platform/options.ts'
import { post } from '../deliveries/post.ts'
import type { PlatformContext } from '../operation.ts'

/**
 * Stores a configuration and returns the reply. With `needsVerification`, first sends a
 * verification to the destination. Throws 400 if the destination does not accept the verification,
 * and 404 if the configuration was deleted before the destination answered. A configuration without
 * a URL sends mails, so the verification is mailed instead.
 */
export function storeAfterVerification<Reply>(
  { world, dialect }: Pick<PlatformContext<unknown>, 'world' | 'dialect'>,
  configuration: NotificationConfiguration,
  needsVerification: boolean,
  reply: (stored: NotificationConfiguration) => Reply,
): Reply | Deferred<Reply> {
  const { id, url } = configuration
  const isStored = configurationWithId(world, id) !== undefined
  if (!needsVerification || url === null) {
    return world.write(() => {
      const stored = putConfiguration(world, configuration)
      if (needsVerification) mail(world, stored, verificationOf(stored).message)
      return reply(stored)
    })
  }
  const store = (response: DeliveryResponse) => {
    // Another caller may have deleted the configuration while the destination was verified.
    if (isStored) requireFound(configurationWithId(world, id))
    return reply(storeVerifiedConfiguration(world, configuration, response))
  }
  if (!optionsOf(world).deliverNotifications || simulatesFailure(url)) {
    return store(simulatedResponse(url, world.clock.now()))
  }
  const request = requestOf(world, configuration, url, verificationOf(configuration))
  return defer(() => post(world, request, dialect.name), store)
}
