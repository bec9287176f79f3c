import { type ListenerName, textOf } from './format.ts'
import { parse } from './names.ts'
import type { Recorder } from './recorder.ts'
import type { Script, Step } from './scripts/step.ts'
import { translated } from './vendor-samples.ts'

/** Token header and management token of each listener. */
const tokens: Readonly<Record<ListenerName, readonly [string, string]>> = {
  secrets: ['x-secrets-token', 'root'],
  platform: ['authorization', 'Bearer owner-token'],
  mesh: ['x-mesh-token', 'mesh-management-token'],
  scheduler: ['x-sched-token', 'scheduler-management-token'],
  combined: ['x-control', ''],
}

/** Returns the value at a JSON pointer; `/` means the whole document. */
function at(value: unknown, pointer: string): unknown {
  const names = pointer.split('/').slice(1)
  return names
    .filter((name) => name !== '')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((part, name) => Reflect.get(Object(part), name), value)
}

/** Returns the content type. The vendor's platform requires its media type even without a body. */
function contentType(listener: ListenerName, body: unknown): Readonly<Record<string, string>> {
  if (listener === 'platform') return { 'content-type': 'application/vnd.api+json' }
  return body === undefined ? {} : { 'content-type': 'application/json' }
}

/** Sends the requests of a script in order. */
export async function recordScript(
  recorder: Recorder,
  script: Script,
  dialect: 'neutral' | 'vendor',
): Promise<void> {
  const kept = new Map<string, string>()
  const filled = (text: string) => text.replaceAll(/<(\w+)>/g, (name) => kept.get(name) ?? name)

  for (const step of script) {
    const spoken = dialect === 'vendor' ? (translated(step) as Step) : step
    const [listener = '', method = '', address = ''] = spoken.send.split(' ')
    const on = listener as ListenerName
    const [header, token] = tokens[on]
    const sentToken = filled(spoken.token ?? token)
    const tokenHeader = dialect === 'vendor' ? String(translated(header)) : header
    const { body } = spoken
    const isText = typeof body === 'string'
    const reply = await recorder.ask({
      listener: on,
      method,
      // URLs of uploads and logs are absolute.
      url: filled(address).replace(/^https?:\/\/[^/]+/, ''),
      headers: {
        ...(sentToken === '' ? {} : { [tokenHeader]: sentToken }),
        ...contentType(on, body),
        ...spoken.headers,
      },
      ...(body === undefined ? {} : { body: filled(isText ? body : JSON.stringify(body)) }),
    })
    const parsed = parse(textOf(reply.body))
    for (const [name, pointer] of Object.entries(spoken.keep ?? {})) {
      const value = at(parsed, pointer)
      if (value === undefined) continue
      kept.set(`<${name}>`, typeof value === 'string' ? value : JSON.stringify(value))
    }
  }
}
