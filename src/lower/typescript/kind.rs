//! The node kinds and fields of the three grammars (JavaScript, TypeScript, TSX) as one pair of enums.
//!
//! The grammars number their symbols differently and share most names, so each gets one table from its
//! numbers to [`Kind`] and [`Field`], built once; the lowering then matches on small integers.

use std::sync::OnceLock;
use tree_sitter::Language;

macro_rules! kinds {
    ($($variant:ident = $name:literal),* $(,)?) => {
        /// What a node of the concrete tree is.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        pub enum Kind {
            /// Punctuation: never kept.
            Skip,
            /// A keyword or operator that lowering looks at; its text tells which.
            Token,
            /// A named node lowering has no rule for; its children are still visited.
            Other,
            /// Text that could not be parsed.
            Error,
            $(#[doc = $name] $variant),*
        }

        fn kind_of(name: &str) -> Kind {
            match name {
                $($name => Kind::$variant,)*
                _ => Kind::Other,
            }
        }
    };
}

kinds! {
    AbstractClassDeclaration = "abstract_class_declaration",
    AbstractMethodSignature = "abstract_method_signature",
    AccessibilityModifier = "accessibility_modifier",
    AmbientDeclaration = "ambient_declaration",
    Arguments = "arguments",
    Array = "array",
    ArrayPattern = "array_pattern",
    ArrayType = "array_type",
    ArrowFunction = "arrow_function",
    AsExpression = "as_expression",
    AssignmentExpression = "assignment_expression",
    AssignmentPattern = "assignment_pattern",
    AugmentedAssignment = "augmented_assignment_expression",
    Await = "await_expression",
    Binary = "binary_expression",
    Break = "break_statement",
    Call = "call_expression",
    CallSignature = "call_signature",
    CatchClause = "catch_clause",
    Class = "class",
    ClassBody = "class_body",
    ClassDeclaration = "class_declaration",
    ClassHeritage = "class_heritage",
    ClassStaticBlock = "class_static_block",
    Comment = "comment",
    ComputedPropertyName = "computed_property_name",
    ConditionalType = "conditional_type",
    Constraint = "constraint",
    Continue = "continue_statement",
    Debugger = "debugger_statement",
    Decorator = "decorator",
    Do = "do_statement",
    ElseClause = "else_clause",
    Empty = "empty_statement",
    EnumAssignment = "enum_assignment",
    EnumBody = "enum_body",
    EnumDeclaration = "enum_declaration",
    ExportClause = "export_clause",
    ExportSpecifier = "export_specifier",
    ExportStatement = "export_statement",
    ExpressionStatement = "expression_statement",
    ExtendsClause = "extends_clause",
    ExtendsTypeClause = "extends_type_clause",
    False = "false",
    FieldDefinition = "field_definition",
    FinallyClause = "finally_clause",
    FlowMaybeType = "flow_maybe_type",
    ForIn = "for_in_statement",
    For = "for_statement",
    FormalParameters = "formal_parameters",
    FunctionDeclaration = "function_declaration",
    FunctionExpression = "function_expression",
    FunctionSignature = "function_signature",
    FunctionType = "function_type",
    GeneratorFunction = "generator_function",
    GeneratorFunctionDeclaration = "generator_function_declaration",
    GenericType = "generic_type",
    HashBang = "hash_bang_line",
    HtmlComment = "html_comment",
    Identifier = "identifier",
    If = "if_statement",
    ImplementsClause = "implements_clause",
    Import = "import",
    ImportAlias = "import_alias",
    ImportClause = "import_clause",
    ImportRequireClause = "import_require_clause",
    ImportSpecifier = "import_specifier",
    ImportStatement = "import_statement",
    Instantiation = "instantiation_expression",
    InterfaceDeclaration = "interface_declaration",
    InternalModule = "internal_module",
    IntersectionType = "intersection_type",
    JsxAttribute = "jsx_attribute",
    JsxClosing = "jsx_closing_element",
    JsxElement = "jsx_element",
    JsxExpression = "jsx_expression",
    JsxNamespaceName = "jsx_namespace_name",
    JsxOpening = "jsx_opening_element",
    JsxSelfClosing = "jsx_self_closing_element",
    JsxText = "jsx_text",
    HtmlCharacter = "html_character_reference",
    Labeled = "labeled_statement",
    LexicalDeclaration = "lexical_declaration",
    LiteralType = "literal_type",
    Member = "member_expression",
    MetaProperty = "meta_property",
    MethodDefinition = "method_definition",
    MethodSignature = "method_signature",
    Module = "module",
    NamedImports = "named_imports",
    NamespaceExport = "namespace_export",
    NamespaceImport = "namespace_import",
    NestedIdentifier = "nested_identifier",
    NestedTypeIdentifier = "nested_type_identifier",
    New = "new_expression",
    NonNull = "non_null_expression",
    Null = "null",
    Number = "number",
    Object = "object",
    ObjectAssignmentPattern = "object_assignment_pattern",
    ObjectPattern = "object_pattern",
    ObjectType = "object_type",
    InterfaceBody = "interface_body",
    OptionalChain = "optional_chain",
    OptionalParameter = "optional_parameter",
    OptionalType = "optional_type",
    OverrideModifier = "override_modifier",
    Pair = "pair",
    PairPattern = "pair_pattern",
    Parenthesized = "parenthesized_expression",
    ParenthesizedType = "parenthesized_type",
    PredefinedType = "predefined_type",
    PrivatePropertyIdentifier = "private_property_identifier",
    Program = "program",
    PropertyIdentifier = "property_identifier",
    PropertySignature = "property_signature",
    PublicFieldDefinition = "public_field_definition",
    ReadonlyType = "readonly_type",
    Regex = "regex",
    RequiredParameter = "required_parameter",
    RestPattern = "rest_pattern",
    RestType = "rest_type",
    Return = "return_statement",
    Satisfies = "satisfies_expression",
    Sequence = "sequence_expression",
    Shorthand = "shorthand_property_identifier",
    ShorthandPattern = "shorthand_property_identifier_pattern",
    Spread = "spread_element",
    StatementBlock = "statement_block",
    StatementIdentifier = "statement_identifier",
    String = "string",
    StringFragment = "string_fragment",
    EscapeSequence = "escape_sequence",
    Subscript = "subscript_expression",
    Super = "super",
    SwitchBody = "switch_body",
    SwitchCase = "switch_case",
    SwitchDefault = "switch_default",
    Switch = "switch_statement",
    TemplateString = "template_string",
    TemplateSubstitution = "template_substitution",
    Ternary = "ternary_expression",
    This = "this",
    ThisType = "this_type",
    Throw = "throw_statement",
    True = "true",
    Try = "try_statement",
    TupleType = "tuple_type",
    TypeAlias = "type_alias_declaration",
    TypeAnnotation = "type_annotation",
    TypeArguments = "type_arguments",
    TypeAssertion = "type_assertion",
    TypeIdentifier = "type_identifier",
    TypeParameter = "type_parameter",
    TypeParameters = "type_parameters",
    TypeQuery = "type_query",
    Unary = "unary_expression",
    Undefined = "undefined",
    UnionType = "union_type",
    Update = "update_expression",
    UsingDeclaration = "using_declaration",
    VariableDeclaration = "variable_declaration",
    VariableDeclarator = "variable_declarator",
    While = "while_statement",
    With = "with_statement",
    Yield = "yield_expression",
}

impl Kind {
    /// Whether the node starts a function's own scope.
    pub fn is_function(self) -> bool {
        matches!(
            self,
            Kind::FunctionDeclaration
                | Kind::GeneratorFunctionDeclaration
                | Kind::FunctionExpression
                | Kind::GeneratorFunction
                | Kind::ArrowFunction
                | Kind::MethodDefinition
                | Kind::ClassStaticBlock
        )
    }

    /// Whether lowering never looks inside.
    pub fn is_leaf(self) -> bool {
        matches!(self, Kind::String | Kind::Regex | Kind::JsxText | Kind::Number | Kind::MetaProperty)
    }

    /// Whether the node is not kept in the compact tree.
    pub fn is_dropped(self) -> bool {
        matches!(
            self,
            Kind::Skip
                | Kind::Comment
                | Kind::HtmlComment
                | Kind::HashBang
                | Kind::StringFragment
                | Kind::EscapeSequence
                | Kind::JsxText
                | Kind::HtmlCharacter
                | Kind::JsxClosing
        )
    }
}

macro_rules! fields {
    ($($variant:ident = $name:literal),* $(,)?) => {
        /// The role of a node in its parent.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        pub enum Field {
            /// None, or one that lowering does not ask for.
            None,
            $(#[doc = $name] $variant),*
        }

        fn field_of(name: &str) -> Field {
            match name {
                $($name => Field::$variant,)*
                _ => Field::None,
            }
        }
    };
}

fields! {
    Alias = "alias",
    Alternative = "alternative",
    Argument = "argument",
    Arguments = "arguments",
    Attribute = "attribute",
    Body = "body",
    Condition = "condition",
    Consequence = "consequence",
    Constraint = "constraint",
    Constructor = "constructor",
    Declaration = "declaration",
    Decorator = "decorator",
    Finalizer = "finalizer",
    Function = "function",
    Handler = "handler",
    Increment = "increment",
    Index = "index",
    Initializer = "initializer",
    Key = "key",
    Kind = "kind",
    Label = "label",
    Left = "left",
    Module = "module",
    Name = "name",
    Object = "object",
    OpenTag = "open_tag",
    Operator = "operator",
    Parameter = "parameter",
    Parameters = "parameters",
    Pattern = "pattern",
    Property = "property",
    ReturnType = "return_type",
    Right = "right",
    Source = "source",
    Type = "type",
    TypeArguments = "type_arguments",
    TypeParameters = "type_parameters",
    Value = "value",
}

/// Keywords and operators whose presence decides something; all other anonymous nodes are dropped.
fn is_kept_token(text: &str) -> bool {
    match text.as_bytes().first() {
        Some(first) if first.is_ascii_lowercase() => matches!(
            text,
            "async"
                | "static"
                | "static get"
                | "get"
                | "set"
                | "type"
                | "typeof"
                | "default"
                | "const"
                | "let"
                | "var"
                | "in"
                | "of"
                | "instanceof"
                | "await"
                | "abstract"
                | "global"
                | "namespace"
                | "as"
                | "void"
                | "delete"
                | "accessor"
                | "readonly"
                | "using"
        ),
        Some(_) => !matches!(
            text,
            "(" | ")"
                | "{"
                | "}"
                | "["
                | "]"
                | ","
                | ";"
                | "."
                | ":"
                | "\""
                | "'"
                | "`"
                | "${"
                | "=>"
                | "="
                | "@"
                | "..."
                | "</"
                | "/>"
                | "{|"
                | "|}"
        ),
        None => false,
    }
}

/// The tables of one grammar.
pub struct Grammar {
    /// The grammar itself.
    pub language: Language,
    kinds: Vec<Kind>,
    fields: Vec<Field>,
}

impl Grammar {
    fn new(language: Language) -> Self {
        let kinds = (0..language.node_kind_count())
            .map(|id| {
                let id = id as u16;
                let name = language.node_kind_for_id(id).unwrap_or_default();
                match language.node_kind_is_named(id) {
                    true => kind_of(name),
                    false if is_kept_token(name) => Kind::Token,
                    false => Kind::Skip,
                }
            })
            .collect();
        let fields = (0..=language.field_count())
            .map(|id| field_of(language.field_name_for_id(id as u16).unwrap_or_default()))
            .collect();
        Self { language, kinds, fields }
    }

    /// The kind of a symbol number (`ERROR` has the largest number and no entry).
    pub fn kind(&self, id: u16) -> Kind {
        self.kinds.get(id as usize).copied().unwrap_or(Kind::Error)
    }

    /// The field of a field number.
    pub fn field(&self, id: u16) -> Field {
        self.fields.get(id as usize).copied().unwrap_or(Field::None)
    }

    /// Plain JavaScript with JSX.
    pub fn javascript() -> &'static Grammar {
        static GRAMMAR: OnceLock<Grammar> = OnceLock::new();
        GRAMMAR.get_or_init(|| Grammar::new(tree_sitter_javascript::LANGUAGE.into()))
    }

    /// TypeScript without JSX.
    pub fn typescript() -> &'static Grammar {
        static GRAMMAR: OnceLock<Grammar> = OnceLock::new();
        GRAMMAR.get_or_init(|| Grammar::new(tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()))
    }

    /// TypeScript with JSX.
    pub fn tsx() -> &'static Grammar {
        static GRAMMAR: OnceLock<Grammar> = OnceLock::new();
        GRAMMAR.get_or_init(|| Grammar::new(tree_sitter_typescript::LANGUAGE_TSX.into()))
    }
}
