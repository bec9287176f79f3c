import { quoteGo } from '../../../state/go/text.ts'
import {
  any,
  bool,
  constant,
  list,
  map,
  text,
  time,
  uint,
} from '../../../state/kernel/shape/kinds.ts'
import { partial, struct } from '../../../state/kernel/shape/members.ts'
import { storedSchema } from '../../../state/kernel/shape/schema.ts'
import { refuse } from '../../../state/mesh/acl/messages.ts'
import { JsonText } from '../../http/json-text.ts'
import { decodeOne, parseBody, withRefusal } from '../decode.ts'
import { checkEnabled, listAccess, listAcl, operation } from './access.ts'

const zeroTime = '0001-01-01T00:00:00Z'

/** Replication status. Replication is disabled, because there is only one datacenter. */
const replication = {
  Enabled: false,
  Running: false,
  SourceDatacenter: '',
  ReplicationType: '',
  ReplicatedIndex: 0,
  ReplicatedRoleIndex: 0,
  ReplicatedTokenIndex: 0,
  LastSuccess: zeroTime,
  LastError: zeroTime,
  LastErrorMessage: '',
} as const

const replicationShape = struct({
  Enabled: bool,
  Running: bool,
  SourceDatacenter: text,
  ReplicationType: text,
  ReplicatedIndex: uint,
  ReplicatedRoleIndex: uint,
  ReplicatedTokenIndex: uint,
  LastSuccess: time,
  LastError: time,
  LastErrorMessage: text,
})

const loginBody = partial(
  struct('ACLLoginParams', {
    AuthMethod: text,
    BearerToken: text,
    Meta: map(text),
    Namespace: text,
    Partition: text,
  }),
)

const noRows = () => []
const emptyListSchema = storedSchema(list(any))

const emptyLists = [
  ['listAclAuthMethods', 'auth-methods', 'auth methods'],
  ['listAclBindingRules', 'binding-rules', 'binding rules'],
] as const

/**
 * Operations on kinds of ACL objects that worlds never have. Lists of these objects are empty
 * (behaviour/mesh#acl-endpoints).
 */
export const emptyAclOperations = [
  ...emptyLists.map(([id, path, plural]) =>
    operation.get(id, `/acl/${path}`, {
      access: listAccess,
      summary: `List the ${plural} of a namespace: there are none.`,
      reply: { 200: emptyListSchema },
      run: ({ context }) => listAcl(context, `acl-${path}`, noRows, () => () => ''),
    }),
  ),
  operation.get('readAclReplication', '/acl/replication', {
    access: 'anyone',
    tenancy: 'none',
    summary: 'Tell of copying ACLs from another datacenter: nothing is copied.',
    reply: { 200: storedSchema(replicationShape) },
    run: ({ context }) => {
      checkEnabled(context)
      const read = () => ({ index: 0, body: new JsonText(JSON.stringify(replication)) })
      return context.read(read, { isPlain: true })
    },
  }),
  operation.post('loginAcl', '/acl/login', {
    access: 'anyone',
    summary: 'Log in by an auth method: there is none.',
    body: loginBody,
    failures: [403],
    reply: { 200: storedSchema(constant(null)) },
    run: ({ context }) => {
      checkEnabled(context)
      const login = withRefusal(
        () => {
          const json = parseBody(context.body.toString('utf8'))
          return json === null ? undefined : decodeOne(json, loginBody)
        },
        (problem) => refuse('login-unreadable', { problem }),
      )
      if (login === undefined) throw refuse('login-empty')
      context.requireOwnDatacenter()
      const { AuthMethod = '' } = login
      throw refuse('auth-method-unknown', { quoted: quoteGo(AuthMethod) })
    },
  }),
]
