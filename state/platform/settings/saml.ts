import type { World } from '../../kernel/worlds/world.ts'
import { isBlank } from '../names.ts'
import { type AttributeViolation, violation } from '../violations.ts'
import {
  blankViolations,
  defineSettings,
  flag,
  integer,
  text,
  unlistedViolations,
  vendorOption,
} from './definition.ts'
import { storedSettings, storeSettings } from './settings.ts'

const requiredAttributes = [
  'idp-cert',
  'slo-endpoint-url',
  'sso-endpoint-url',
  'attr-username',
  'attr-groups',
  'attr-site-admin',
  'site-admin-role',
] as const

const urlAttributes = ['slo-endpoint-url', 'sso-endpoint-url'] as const
const signingAttributes = ['certificate', 'private-key'] as const
const hashMethods = ['SHA1', 'SHA256']
const providerTypes = ['okta', 'entra', 'saml', 'unknown']
const defaultSessionTimeout = 14 * 24 * 60 * 60

/**
 * SAML settings (behaviour/platform#api-settings). Certificates are stored without being parsed.
 */
export const samlSettings = defineSettings({
  name: 'saml',
  title: 'the settings of SAML single sign-on',
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
    'sso-api-token-session-timeout': integer(defaultSessionTimeout),
    certificate: text(null, vendorOption),
    'private-key': text(null, { ...vendorOption, use: 'write-only' }),
    'authn-requests-signed': flag(false, vendorOption),
    'want-assertions-signed': flag(false, vendorOption),
    'team-management-enabled': flag(false, vendorOption),
    'signature-signing-method': text('SHA256', vendorOption),
    'signature-digest-method': text('SHA256', vendorOption),
    'provider-type': text('unknown', vendorOption),
  },
  violations: (values, hasVendorAttributes) => {
    const enumViolations = hasVendorAttributes
      ? [
          ...unlistedViolations(values, 'signature-signing-method', hashMethods),
          ...unlistedViolations(values, 'signature-digest-method', hashMethods),
          ...unlistedViolations(values, 'provider-type', providerTypes),
        ]
      : []
    // While SAML is disabled, only attributes with a fixed list of values are checked
    // (behaviour/platform#settings).
    if (!values.enabled) return enumViolations
    const isSigned = values['authn-requests-signed'] || values['want-assertions-signed']
    return [
      ...blankViolations(values, requiredAttributes),
      ...urlAttributes.flatMap((attribute) => httpsViolations(attribute, values[attribute])),
      ...(Number(values['sso-api-token-session-timeout']) > 0
        ? []
        : [violation('sso-api-token-session-timeout', 'not-positive')]),
      ...(hasVendorAttributes && isSigned ? blankViolations(values, signingAttributes) : []),
      ...enumViolations,
    ]
  },
  impliedChanges: (before, { 'idp-cert': certificate }) => {
    const current = before['idp-cert']
    if (certificate === undefined || certificate === current) return {}
    // A new certificate moves the current certificate to `old-idp-cert`. Clearing the current
    // certificate also clears `old-idp-cert`.
    if (isBlank(certificate)) return { 'old-idp-cert': null }
    return isBlank(current) ? {} : { 'old-idp-cert': current }
  },
})

/** Deletes the previous certificate of the identity provider. */
export function revokeOldCertificate(world: World): void {
  const { name } = samlSettings
  world.write(() =>
    storeSettings(world, name, { ...storedSettings(world, name), 'old-idp-cert': null }),
  )
}

function httpsViolations(attribute: string, url: string | null): AttributeViolation[] {
  if (isBlank(url)) return []
  const isHttps = url !== null && /^https:\/\//i.test(url) && URL.canParse(url)
  return isHttps ? [] : [violation(attribute, 'invalid')]
}
