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

/** Where settings are, whose they are, and who says so. The vendor's path answers in either dialect. */
const settingsPaths: readonly (readonly [
  name: string,
  definition: SettingsDefinition,
  spec: string,
])[] = [
  ...allSettings.map((definition) => [definition.name, definition, settingsSpec] as const),
  ['twilio', smsSettings, 'behaviour/platform#vendor-names'],
]

/** Reading and changing each of the six resources. */
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
      // The mail server's part in a test message.
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
 * Changes the mail server's settings after a test mail, where they ask for one, went out; a mail that
 * does not go out leaves everything as it was (behaviour/platform#settings).
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
    // What the settings were may change while the mail goes out: the rules are asked again.
    return defer(() => deliverTestMail(mail, parseGoDuration(mailTimeout) / MILLISECOND), change)
  }
  if (mail !== undefined) simulateSending(world, mail)
  return change()
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
