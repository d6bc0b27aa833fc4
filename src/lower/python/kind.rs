//! The grammar's node kinds and fields as small enums: the parser names them by string, which is too slow to
//! compare on every node.

use std::sync::OnceLock;

macro_rules! kinds {
    (nodes: $($variant:ident = $name:literal),* ; tokens: $($token:ident = $text:literal),* $(,)?) => {
        /// What a syntax node is; tokens without a meaning of their own are dropped when the tree is copied.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) enum Kind { Dropped, Other, Error, Missing, $($variant,)* $($token),* }

        fn node_kind(name: &str) -> Kind {
            match name { $($name => Kind::$variant,)* "line_continuation" => Kind::Dropped, _ => Kind::Other }
        }

        fn token_kind(text: &str) -> Kind {
            match text { $($text => Kind::$token,)* _ => Kind::Dropped }
        }
    };
}

kinds! {
    nodes:
    Comment = "comment", Module = "module", Block = "block",
    FutureImport = "future_import_statement", Import = "import_statement", ImportFrom = "import_from_statement",
    RelativeImport = "relative_import", ImportPrefix = "import_prefix", AliasedImport = "aliased_import",
    Wildcard = "wildcard_import", DottedName = "dotted_name",
    Print = "print_statement", Chevron = "chevron", Exec = "exec_statement", Assert = "assert_statement",
    ExpressionStatement = "expression_statement", Return = "return_statement", Delete = "delete_statement",
    Raise = "raise_statement", Pass = "pass_statement", Break = "break_statement", Continue = "continue_statement",
    Global = "global_statement", Nonlocal = "nonlocal_statement", TypeAlias = "type_alias_statement",
    If = "if_statement", Elif = "elif_clause", Else = "else_clause", Match = "match_statement", Case = "case_clause",
    For = "for_statement", While = "while_statement", Try = "try_statement", Except = "except_clause",
    Finally = "finally_clause", With = "with_statement", WithClause = "with_clause", WithItem = "with_item",
    FunctionDef = "function_definition", ClassDef = "class_definition", Decorated = "decorated_definition",
    Decorator = "decorator", Parameters = "parameters", LambdaParameters = "lambda_parameters",
    DefaultParameter = "default_parameter", TypedParameter = "typed_parameter",
    TypedDefaultParameter = "typed_default_parameter", ListSplatPattern = "list_splat_pattern",
    DictSplatPattern = "dictionary_splat_pattern", KeywordSeparator = "keyword_separator",
    PositionalSeparator = "positional_separator", TypeParameter = "type_parameter",
    Assignment = "assignment", Augmented = "augmented_assignment", Named = "named_expression",
    ExpressionList = "expression_list", PatternList = "pattern_list", TuplePattern = "tuple_pattern",
    ListPattern = "list_pattern", AsPattern = "as_pattern", AsPatternTarget = "as_pattern_target",
    CasePattern = "case_pattern", UnionPattern = "union_pattern", DictPattern = "dict_pattern",
    KeywordPattern = "keyword_pattern", SplatPattern = "splat_pattern", ClassPattern = "class_pattern",
    ComplexPattern = "complex_pattern",
    Comparison = "comparison_operator", NotOperator = "not_operator", Boolean = "boolean_operator",
    Binary = "binary_operator", Unary = "unary_operator", Lambda = "lambda", Conditional = "conditional_expression",
    Await = "await", Identifier = "identifier", String = "string", Concatenated = "concatenated_string",
    Integer = "integer", Float = "float", True = "true", False = "false", None = "none",
    Attribute = "attribute", Subscript = "subscript", Slice = "slice", Call = "call", ArgumentList = "argument_list",
    KeywordArgument = "keyword_argument", ListSplat = "list_splat", DictSplat = "dictionary_splat",
    List = "list", Set = "set", Tuple = "tuple", Dictionary = "dictionary", Pair = "pair",
    ListComprehension = "list_comprehension", SetComprehension = "set_comprehension",
    DictComprehension = "dictionary_comprehension", Generator = "generator_expression",
    ForIn = "for_in_clause", IfClause = "if_clause", Parenthesized = "parenthesized_expression",
    Ellipsis = "ellipsis", Yield = "yield", Type = "type", GenericType = "generic_type", UnionType = "union_type",
    ConstrainedType = "constrained_type", MemberType = "member_type", SplatType = "splat_type",
    StringStart = "string_start", StringContent = "string_content", StringEnd = "string_end",
    Interpolation = "interpolation", FormatExpression = "format_expression", FormatSpecifier = "format_specifier";
    tokens:
    Async = "async", From = "from", Underscore = "_", And = "and", Or = "or",
    Plus = "+", Minus = "-", Star = "*", At = "@", Slash = "/", Percent = "%", DoubleSlash = "//", Power = "**",
    Pipe = "|", Ampersand = "&", Caret = "^", ShiftLeft = "<<", ShiftRight = ">>", Tilde = "~",
    Lt = "<", LtEq = "<=", EqEq = "==", NotEq = "!=", GtEq = ">=", Gt = ">", OldNotEq = "<>",
    In = "in", NotIn = "not in", Is = "is", IsNot = "is not",
    PlusEq = "+=", MinusEq = "-=", StarEq = "*=", SlashEq = "/=", AtEq = "@=", DoubleSlashEq = "//=",
    PercentEq = "%=", PowerEq = "**=", ShiftRightEq = ">>=", ShiftLeftEq = "<<=", AmpersandEq = "&=",
    CaretEq = "^=", PipeEq = "|=",
}

macro_rules! fields {
    ($($variant:ident = $name:literal),* $(,)?) => {
        /// Which part of its parent a node is.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) enum Field { Unnamed, Forward, $($variant),* }

        fn field_of(name: &str) -> Field {
            match name { $($name => Field::$variant,)* _ => Field::Unnamed }
        }
    };
}

fields! {
    Alias = "alias", Alternative = "alternative", Argument = "argument", Arguments = "arguments",
    Attribute = "attribute", Body = "body", Cause = "cause", Code = "code", Condition = "condition",
    Consequence = "consequence", Definition = "definition", Expression = "expression", Function = "function",
    Guard = "guard", Key = "key", Left = "left", ModuleName = "module_name", Name = "name", Object = "object",
    Operator = "operator", Operators = "operators", Parameters = "parameters", ReturnType = "return_type",
    Right = "right", Subject = "subject", Subscript = "subscript", Superclasses = "superclasses", Type = "type",
    TypeParameters = "type_parameters", Value = "value",
}

/// The grammar's numbering translated to [`Kind`] and [`Field`].
pub(super) struct Tables {
    /// The grammar itself.
    pub language: tree_sitter::Language,
    kinds: Vec<Kind>,
    fields: Vec<Field>,
}

impl Tables {
    /// The tables, made on first use.
    pub fn get() -> &'static Tables {
        static TABLES: OnceLock<Tables> = OnceLock::new();
        TABLES.get_or_init(|| {
            let language: tree_sitter::Language = tree_sitter_python::LANGUAGE.into();
            let kinds = (0..language.node_kind_count())
                .map(|id| {
                    let id = id as u16;
                    let name = language.node_kind_for_id(id).unwrap_or("");
                    if language.node_kind_is_named(id) { node_kind(name) } else { token_kind(name) }
                })
                .collect();
            let fields = (0..=language.field_count())
                .map(|id| language.field_name_for_id(id as u16).map_or(Field::Unnamed, field_of))
                .collect();
            Tables { language, kinds, fields }
        })
    }

    /// Whether a token says something where it is no named part of its parent: most only separate.
    pub fn stands_alone(kind: Kind) -> bool {
        matches!(kind, Kind::Async | Kind::From | Kind::Underscore | Kind::Minus)
    }

    /// Whether a kind is a token.
    pub fn is_token(kind: Kind) -> bool {
        kind as u8 >= Kind::Async as u8
    }

    /// The kind behind the grammar's number.
    pub fn kind(&self, id: u16) -> Kind {
        self.kinds.get(usize::from(id)).copied().unwrap_or(Kind::Error)
    }

    /// The field behind the grammar's number.
    pub fn field(&self, id: Option<std::num::NonZeroU16>) -> Field {
        id.and_then(|id| self.fields.get(usize::from(id.get()))).copied().unwrap_or(Field::Unnamed)
    }
}
