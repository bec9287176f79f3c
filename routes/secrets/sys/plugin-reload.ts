import { quoteGo } from '../../../state/go/text.ts'
import { list, text } from '../../../state/kernel/shape/kinds.ts'
import { described, withDefault } from '../../../state/kernel/shape/members.ts'
import { mountOf } from '../../../state/secrets/mounts/mounts.ts'
import { mountType } from '../../../state/secrets/mounts/types.ts'
import { pluginKinds } from '../../../state/secrets/plugins.ts'
import { structEnvelope } from '../envelope/schemas.ts'
import { textField } from '../fields/field-kinds.ts'
import { refuse } from '../messages.ts'
import { operationsOf } from '../operation.ts'
import { pluginsOf } from './plugins.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#operations-of-the-node' })

const reloadReply = structEnvelope({ reload_id: text })

/**
 * The operation that reloads plug-ins. Plug-ins are never run, so the operation only checks the
 * request.
 */
export const pluginReloadOperations = [
  operation.write('reloadPlugins', 'plugins/reload/backend', {
    summary: 'Reload the mounts of a plug-in, or some mounts; has no effect.',
    body: {
      plugin: textField('Plug-in whose mounts are reloaded'),
      mounts: withDefault(described(list(text), 'Paths of the mounts to reload'), []),
      scope: textField('global to reload the mounts on all nodes; the status is then 202'),
    },
    reply: { 200: reloadReply, 202: reloadReply },
    run({ world, namespace, fields: { plugin, mounts: paths, scope } }) {
      if (scope !== '' && scope !== 'global') throw refuse('reload-scope-unknown')
      if (plugin !== '' && paths.length > 0) throw refuse('reload-of-both')
      if (plugin === '' && paths.length === 0) throw refuse('reload-of-nothing')
      const isKnown = pluginKinds.some((kind) =>
        pluginsOf(world, kind)?.includes(mountType(plugin)),
      )
      if (plugin !== '' && !isKnown) throw refuse('reload-unknown', { plugin: quoteGo(plugin) })
      for (const path of paths) {
        const at = path.endsWith('/') ? path : `${path}/`
        if (mountOf(world, namespace, at) === undefined) {
          throw refuse('reload-mount-unknown', { path: quoteGo(path) })
        }
      }
      const status = scope === '' ? 200 : 202
      return { kind: 'envelope', status, data: { reload_id: world.ids.uuid() } }
    },
  }),
]
