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

const authMethods = ['none', 'plain', 'login']

/** Required attributes by authentication method. */
const credentialAttributes = {
  plain: ['username', 'password'],
  login: ['username', 'password'],
  xoauth2: ['client-id', 'client-secret'],
} as const

const highestPort = 65_535

/**
 * SMTP settings (behaviour/platform#api-settings). While SMTP is disabled, only the authentication
 * method is checked.
 */
export const smtpSettings = defineSettings({
  name: 'smtp',
  title: 'the settings of the mail server',
  attributes: {
    enabled: flag(false),
    host: text(),
    port: integer(null),
    sender: text(),
    auth: text('none'),
    username: text(),
    password: text(null, { use: 'write-only' }),
    'test-email-address': text(null, { use: 'once' }),
    'client-id': text(null, vendorOption),
    'client-secret': text(null, { ...vendorOption, use: 'write-only' }),
  },
  violations: (values, hasVendorAttributes) => {
    const allowed = hasVendorAttributes ? [...authMethods, 'xoauth2'] : authMethods
    const authViolations = unlistedViolations(values, 'auth', allowed)
    if (!values.enabled) return authViolations
    return [
      ...blankViolations(values, ['host', 'port']),
      ...portViolations(values.port),
      ...blankViolations(values, ['sender']),
      ...authViolations,
      ...(authViolations.length === 0 && hasCredentials(values.auth)
        ? blankViolations(values, credentialAttributes[values.auth])
        : []),
    ]
  },
})

function hasCredentials(auth: string | null): auth is keyof typeof credentialAttributes {
  return auth !== null && Object.hasOwn(credentialAttributes, auth)
}

function portViolations(port: number | null): AttributeViolation[] {
  if (port === null) return []
  if (port < 1) return [violation('port', 'too-small', { limit: 1 })]
  if (port <= highestPort) return []
  return [violation('port', 'too-great', { limit: highestPort })]
}
