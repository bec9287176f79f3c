import type { World } from '../../kernel/world.ts'
import { type AttributeFault, fault } from '../faults.ts'
import { isBlank } from '../names.ts'
import { blankOnes, defineSettings, flag, notOneOf, text, vendor, whole } from './definition.ts'
import { storedSettings, storeSettings } from './settings.ts'

const required = [
  'idp-cert',
  'slo-endpoint-url',
  'sso-endpoint-url',
  'attr-username',
  'attr-groups',
  'attr-site-admin',
  'site-admin-role',
] as const

const urls = ['slo-endpoint-url', 'sso-endpoint-url'] as const
const signing = ['certificate', 'private-key'] as const
const methods = ['SHA1', 'SHA256']
const providers = ['okta', 'entra', 'saml', 'unknown']
const sessionTimeout = 14 * 24 * 60 * 60

/** SAML settings (behaviour/platform#api-settings). Certificates are not parsed. */
export const samlSettings = defineSettings({
  name: 'saml',
  about: 'the settings of SAML single sign-on',
  attributes: {
    enabled: flag(false),
    debug: flag(false),
    'old-idp-cert': text(null, { use: 'read-only' }),
    'idp-cert': text(),
    'slo-endpoint-url': text(),
    'sso-endpoint-url': text(),
    'attr-username': text('Username'),
    'attr-groups': text('MemberOf'),
    'attr-site-admin': text('SiteAdmin'),
    'site-admin-role': text('site-admins'),
    'sso-api-token-session-timeout': whole(sessionTimeout),
    certificate: text(null, vendor),
    'private-key': text(null, { ...vendor, use: 'write-only' }),
    'authn-requests-signed': flag(false, vendor),
    'want-assertions-signed': flag(false, vendor),
    'team-management-enabled': flag(false, vendor),
    'signature-signing-method': text('SHA256', vendor),
    'signature-digest-method': text('SHA256', vendor),
    'provider-type': text('unknown', vendor),
  },
  faults: (values, extras) => {
    const enumerated = extras
      ? [
          ...notOneOf('signature-signing-method', values['signature-signing-method'], methods),
          ...notOneOf('signature-digest-method', values['signature-digest-method'], methods),
          ...notOneOf('provider-type', values['provider-type'], providers),
        ]
      : []
    // Disabled: nothing is required (behaviour/platform#settings).
    if (!values.enabled) return enumerated
    const isSigned = values['authn-requests-signed'] || values['want-assertions-signed']
    return [
      ...blankOnes(values, required),
      ...urls.flatMap((attribute) => notHttps(attribute, values[attribute])),
      ...(Number(values['sso-api-token-session-timeout']) > 0
        ? []
        : [fault('sso-api-token-session-timeout', 'not-positive')]),
      ...(extras && isSigned ? blankOnes(values, signing) : []),
      ...enumerated,
    ]
  },
  alongWith: (before, { 'idp-cert': cert }) => {
    const current = before['idp-cert']
    if (cert === undefined || cert === current) return {}
    // The certificate that goes is held until it is revoked; nothing is left of one that is cleared.
    if (isBlank(cert)) return { 'old-idp-cert': null }
    return isBlank(current) ? {} : { 'old-idp-cert': current }
  },
})

/** Forgets the identity provider's previous certificate, if one is held. */
export function revokeOldCertificate(world: World): void {
  const { name } = samlSettings
  world.write(() =>
    storeSettings(world, name, { ...storedSettings(world, name), 'old-idp-cert': null }),
  )
}

function notHttps(attribute: string, url: string | null): AttributeFault[] {
  if (isBlank(url)) return []
  const isHttps = url !== null && /^https:\/\//i.test(url) && URL.canParse(url)
  return isHttps ? [] : [fault(attribute, 'invalid')]
}
