import { any } from '../../../state/kernel/shape/kinds.ts'
import { revokeOldCertificate, samlSettings } from '../../../state/platform/settings/saml.ts'
import { sendTestSms } from '../../../state/platform/settings/test-messages.ts'
import { ok } from '../../http/declare/operation.ts'
import { optionalMembers } from '../json-api/attributes.ts'
import { operationsOn, type PlatformOperation } from '../operation.ts'
import { settingsDocument, settingsResource } from './settings-resource.ts'

const spec = 'behaviour/platform#api-settings; behaviour/platform#settings'
const operation = operationsOn('admin', () => undefined, spec)

const revokeOperation = operation('POST', '/admin/saml-settings/actions/revoke-old-certificate', {
  id: 'revokeOldCertificate',
  summary: "Forget the identity provider's previous certificate.",
  reply: { 200: settingsDocument(samlSettings) },
  run: ({ context: { world, dialect, origin } }) => {
    revokeOldCertificate(world)
    return ok({ data: settingsResource(world, samlSettings, dialect, origin) })
  },
})

/**
 * Routes that send a test text message: the one in the specification, and those that clients of the
 * vendor's API use (behaviour/platform#vendor-names).
 */
const verifyRoutes = [
  { id: 'verifySms', method: 'POST', path: '/admin/sms-settings/verify', spec },
  { id: 'verifySmsByPatch', method: 'PATCH', path: '/admin/sms-settings/verify' },
  { id: 'verifyTwilio', method: 'POST', path: '/admin/twilio-settings/verify' },
  { id: 'verifyTwilioByPatch', method: 'PATCH', path: '/admin/twilio-settings/verify' },
] as const

const verifyOperations = verifyRoutes.map(({ method, path, ...route }) =>
  operation(method, path, {
    summary: 'Send a test SMS.',
    spec: 'behaviour/platform#settings, behaviour/platform#differences and behaviour/platform#vendor-names',
    ...route,
    body: {
      type: 'sms-settings',
      attributes: optionalMembers({ 'test-number': any }),
      dataOptional: true,
    },
    failures: [400],
    reply: { 200: null },
    run: ({ context, body }) => {
      sendTestSms(context.world, body().attributes['test-number'])
      return { status: 200 as const }
    },
  }),
)

/** Actions on settings: revoking the old SAML certificate, and sending a test text message. */
export const settingsActions: readonly PlatformOperation[] = [revokeOperation, ...verifyOperations]
