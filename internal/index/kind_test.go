package index_test

import (
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

func TestKindOf(t *testing.T) {
	for kind, list := range map[index.FileKind]string{
		index.KindSource: `main.go src/_pytest/python.py src/pytest/__init__.py latest.go contest.py pkg/attest.ts sphinx/testing/util.py
			django/test/client.py src/Latest.java src/Transit.java Makefile Dockerfile CMakeLists.txt web/App.vue docs/conf.py setup.py
			lib/rspec/core.rb internal/tester/run.go index.html schema.sql manifest.go src/protest.rs`,
		index.KindTest: `rank_test.go tests/test_a.py a/tests/helper.py test_b.py b_test.py web/App.spec.ts web/__tests__/App.tsx
			src/test/java/a/FooTest.java FooTests.cs lib/x_spec.rb spec/models/user_spec.rb conftest.py cmd/testdata/a.json testing/test_x.py
			testing/plugins_integration/README.rst test/index.js a/test.js Foo.Tests/Bar.cs TestFoo.java src/tests.rs user.test.js
			src/__snapshots__/a.snap Tests/AppTests/AppTests.swift t/basic.t src/androidTest/java/A.kt FooIT.java tests/README.md`,
		index.KindProse: "README.md README docs/guide.rst LICENSE CHANGELOG.txt doc/aoa.1",
		index.KindData: `package.json go.sum a.lock .github/workflows/ci.yml data.csv vendor/x/y.go web/node_modules/a/index.js api.pb.go
			app.min.js pyproject.toml requirements-dev.txt package-lock.json astropy/extern/six.py notebook.ipynb setup.cfg`,
		index.KindBinary: "logo.png docs/a.svg tests/data/x.fits a.pdf font.woff2",
	} {
		for p := range strings.FieldsSeq(list) {
			fault.Same(t, p, index.KindOf(event.Path(p)), kind)
		}
	}
}
