import { MILLISECOND, parseGoDuration } from '../../../state/go/duration.ts'
import { type Deferred, defer } from '../../../state/kernel/worlds/deferred.ts'
import { optionsOf } from '../../../state/platform/options.ts'
import { allSettings } from '../../../state/platform/settings/all-settings.ts'
import { changeSettings } from '../../../state/platform/settings/changes.ts'
import type { SettingsDefinition } from '../../../state/platform/settings/definition.ts'
import { smsSettings } from '../../../state/platform/settings/sms.ts'
import {
  changeSmtpSettings,
  type SmtpChanges,
  simulateSending,
  testMailFor,
} from '../../../state/platform/settings/test-messages.ts'
import { ok } from '../../http/declare/operation.ts'
import { operationsOn, type PlatformContext, type PlatformOperation } from '../operation.ts'
import { deliverTestMail } from './mail.ts'
import {
  settableAttributes,
  settingsDocument,
  settingsResource,
  settingsType,
} from './settings-resource.ts'

const operation = operationsOn('admin', () => undefined)

const settingsSpec = 'behaviour/platform#api-settings; behaviour/platform#settings'

/**
 * Paths of the settings, with their dialects and sources. The vendor's path exists in both
 * dialects.
 */
const settingsPaths: readonly (readonly [
  name: string,
  definition: SettingsDefinition,
  spec: string,
])[] = [
  ...allSettings.map((definition) => [definition.name, definition, settingsSpec] as const),
  ['twilio', smsSettings, 'behaviour/platform#vendor-names'],
]

/** Operations that read and change each of the six settings resources. */
export const settingsOperations: readonly PlatformOperation[] = settingsPaths.flatMap(
  ([name, definition, spec]) => settingsOperationsAt(name, definition, spec),
)

function settingsOperationsAt(
  name: string,
  definition: SettingsDefinition,
  spec: string,
): PlatformOperation[] {
  const path = `/admin/${name}-settings`
  const title = name.split('-').map(capitalize).join('')
  const document = settingsDocument(definition)
  return [
    operation({
      id: `read${title}Settings`,
      method: 'GET',
      path,
      summary: `Read ${definition.title}.`,
      spec,
      reply: { 200: document },
      run: ({ context }) => ok(settingsAnswer(definition, context)),
    }),
    operation({
      id: `change${title}Settings`,
      method: 'PATCH',
      path,
      summary: `Change what is named of ${definition.title}.`,
      spec,
      body: {
        type: settingsType(definition),
        attributes: settableAttributes(definition, { extras: true }),
        attributesInDialect: (dialect) => settableAttributes(definition, dialect),
        attributesRequired: true,
      },
      // Statuses that the mail server can cause when a test message is sent.
      failures: definition.name === 'smtp' ? [500, 504] : [],
      reply: { 200: document },
      run({ context, body }) {
        const { world, dialect } = context
        const { attributes } = body()
        const answer = () => ok(settingsAnswer(definition, context))
        if (definition.name === 'smtp') return changeSmtp(context, attributes, answer)
        changeSettings(world, definition, attributes, dialect.extras)
        return answer()
      },
    }),
  ]
}

function settingsAnswer(definition: SettingsDefinition, context: PlatformContext<unknown>) {
  const { world, dialect, origin } = context
  return { data: settingsResource(world, definition, dialect, origin) }
}

/**
 * Changes the mail server's settings after sending the test mail that the change requests, if any.
 * If the mail cannot be sent, nothing changes (behaviour/platform#settings).
 */
function changeSmtp<T>(
  { world, dialect }: PlatformContext<unknown>,
  changes: SmtpChanges,
  answer: () => T,
): T | Deferred<T> {
  const { deliverMail, mailTimeout } = optionsOf(world)
  const mail = testMailFor(world, changes, dialect.extras)
  const change = (): T => {
    const sentMail = mail === undefined ? undefined : { mail, delivered: deliverMail }
    changeSmtpSettings(world, changes, dialect.extras, sentMail)
    return answer()
  }
  if (mail !== undefined && deliverMail) {
    // The settings may change while the mail is being sent, so `change` checks the rules again.
    return defer(() => deliverTestMail(mail, parseGoDuration(mailTimeout) / MILLISECOND), change)
  }
  if (mail !== undefined) simulateSending(world, mail)
  return change()
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
