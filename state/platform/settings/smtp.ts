import { type AttributeFault, fault } from '../faults.ts'
import { blankOnes, defineSettings, flag, notOneOf, text, vendor, whole } from './definition.ts'

const auths = ['none', 'plain', 'login']

/** The attributes that each way of authenticating needs. */
const credentials = {
  plain: ['username', 'password'],
  login: ['username', 'password'],
  xoauth2: ['client-id', 'client-secret'],
} as const

const highestPort = 65_535

/** SMTP settings (behaviour/platform#api-settings). The port's rules hold for a port that is set. */
export const smtpSettings = defineSettings({
  name: 'smtp',
  about: 'the settings of the mail server',
  attributes: {
    enabled: flag(false),
    host: text(),
    port: whole(null),
    sender: text(),
    auth: text('none'),
    username: text(),
    password: text(null, { use: 'write-only' }),
    'test-email-address': text(null, { use: 'once' }),
    'client-id': text(null, vendor),
    'client-secret': text(null, { ...vendor, use: 'write-only' }),
  },
  faults: (values, extras) => {
    const wrongAuth = notOneOf('auth', values.auth, extras ? [...auths, 'xoauth2'] : auths)
    if (!values.enabled) return wrongAuth
    return [
      ...blankOnes(values, ['host', 'port']),
      ...wrongPort(values.port),
      ...blankOnes(values, ['sender']),
      ...wrongAuth,
      ...(wrongAuth.length === 0 && hasCredentials(values.auth)
        ? blankOnes(values, credentials[values.auth])
        : []),
    ]
  },
})

function hasCredentials(auth: string | null): auth is keyof typeof credentials {
  return auth !== null && Object.hasOwn(credentials, auth)
}

function wrongPort(port: number | null): AttributeFault[] {
  if (port === null) return []
  if (port < 1) return [fault('port', 'too-small', { limit: 1 })]
  if (port <= highestPort) return []
  return [fault('port', 'too-great', { limit: highestPort })]
}
