/* Advice on CEL: each mistake with what is offered instead. */
#include "explain/cel_advice.h"

#include "api/engine.h"
#include "data/json.h"
#include "tap.h"

#include "base/vec.h"

static const char devices_text[] =
    "[{\"name\":\"a\",\"attributes\":{\"model\":{\"string\":\"A100\"},\"index\":{\"int\":4},"
    "\"mig\":{\"bool\":true},\"driverVersion\":{\"version\":\"580.65.6\"},"
    "\"resource.kubernetes.io/pcieRoot\":{\"string\":\"pci0\"}},"
    "\"capacity\":{\"memory\":{\"value\":\"80Gi\"}}},"
    "{\"name\":\"b\",\"attributes\":{\"model\":{\"string\":\"H100\"},\"index\":{\"int\":5},"
    "\"driverVersion\":{\"version\":\"570.1.0\"}},\"capacity\":{\"memory\":{\"value\":\"40Gi\"}}}]";

#define A "device.attributes['gpu.example.com']"
#define C "device.capacity['gpu.example.com']"
#define N "device.attributes['gpu.nvidia.com']"
#define NC "device.capacity['gpu.nvidia.com']"

typedef struct row {
    const char *label, *written, *corrected; /* corrected NULL: nothing is offered */
} row;

static const row with_devices[] = {
    {"a right expression gets no advice", A ".model == 'A100'", NULL},
    {"a misspelt attribute", A ".modle == 'A100'", A ".model == 'A100'"},
    {"an attribute in another case", A ".Model == 'A100'", A ".model == 'A100'"},
    {"an attribute with an underscore", A ".driver_version.isGreaterThan(semver('575.0.0'))",
     A ".driverVersion.isGreaterThan(semver('575.0.0'))"},
    {"a misspelt attribute in brackets", A "['Model'] == 'A100'", A ".model == 'A100'"},
    {"an alias", A ".productName == 'A100'", A ".model == 'A100'"},
    {"a name where a domain belongs", "device.attributes['model'] == 'A100'", A ".model == 'A100'"},
    {"a name where a domain belongs, with a value behind it",
     "device.attributes['model'].x == 'A100'", A ".model == 'A100'"},
    {"a capacity as an attribute, without a domain",
     "device.attributes['memory'].compareTo(quantity('40Gi')) >= 0",
     C ".memory.compareTo(quantity('40Gi')) >= 0"},
    {"a capacity among the attributes", A ".memory.compareTo(quantity('40Gi')) >= 0",
     C ".memory.compareTo(quantity('40Gi')) >= 0"},
    {"an attribute among the capacities", C ".model == 'A100'", A ".model == 'A100'"},
    {"a quantity with an operator", C ".memory >= quantity('40Gi')",
     C ".memory.compareTo(quantity('40Gi')) >= 0"},
    {"an operator with the amount on the left", "'40Gi' < " C ".memory",
     "quantity('40Gi').compareTo(" C ".memory) < 0"},
    {"a quantity compared with a string", C ".memory == '80Gi'",
     C ".memory.compareTo(quantity('80Gi')) == 0"},
    {"a quantity compared with a number", C ".memory > 1000",
     C ".memory.compareTo(quantity('1000')) > 0"},
    {"a unit without quotes", C ".memory >= 40Gi", C ".memory.compareTo(quantity('40Gi')) >= 0"},
    {"pseudo code", "memory >= 40Gi", C ".memory.compareTo(quantity('40Gi')) >= 0"},
    {"a unit that Kubernetes does not have", C ".memory.compareTo(quantity('40GiB')) >= 0",
     C ".memory.compareTo(quantity('40Gi')) >= 0"},
    {"compareTo with a string", C ".memory.compareTo('40Gi') >= 0",
     C ".memory.compareTo(quantity('40Gi')) >= 0"},
    {"compareTo as a condition", C ".memory.compareTo(quantity('40Gi'))",
     C ".memory.compareTo(quantity('40Gi')) >= 0"},
    {"a version compared as a string", A ".driverVersion >= '575.0'",
     A ".driverVersion.compareTo(semver('575.0.0')) >= 0"},
    {"a version less than a string", A ".driverVersion < '575.0.0'",
     A ".driverVersion.isLessThan(semver('575.0.0'))"},
    {"a version equal to a string", A ".driverVersion == '580.65.6'",
     A ".driverVersion.compareTo(semver('580.65.6')) == 0"},
    {"a version equal to a double", A ".driverVersion == 580.65",
     A ".driverVersion.compareTo(semver('580.65.0')) == 0"},
    {"semver of two numbers", A ".driverVersion.isLessThan(semver('575.0'))",
     A ".driverVersion.isLessThan(semver('575.0.0'))"},
    {"versions with an operator", A ".driverVersion > semver('575.0.0')",
     A ".driverVersion.isGreaterThan(semver('575.0.0'))"},
    {"has() of a domain", "has(device.attributes['gpu.example.com'])",
     "'gpu.example.com' in device.attributes"},
    {"has() of a driver", "has(device.driver) && " A ".model == 'A100'", A ".model == 'A100'"},
    {"has() with an index", "has(" A "['model'])", "'model' in " A},
    {"hasValue() of a domain", "device.attributes[?'gpu.example.com'].hasValue()",
     "'gpu.example.com' in device.attributes"},
    {"without device", "attributes['gpu.example.com'].model == 'A100'", A ".model == 'A100'"},
    {"a bare name", "model == 'A100'", A ".model == 'A100'"},
    {"a name as a member of device", "device.model == 'A100'", A ".model == 'A100'"},
    {"another name of device", "devices.driver == 'gpu.example.com'",
     "device.driver == 'gpu.example.com'"},
    {"a misspelt map", "device.attribute['gpu.example.com'].model == 'A100'", A ".model == 'A100'"},
    {"an int compared with a string", A ".index == '4'", A ".index == 4"},
    {"a bool compared with a string", A ".?mig.orValue(false) == true && " A ".index == '4'",
     A ".?mig.orValue(false) == true && " A ".index == 4"},
    {"a string compared with an int", A ".model == 4", A ".model == '4'"},
    {"an attribute that only some have", A ".mig", "has(" A ".mig) && " A ".mig"},
    {"an optional one in a chain", A ".model == 'A100' || " A ".mig == true",
     A ".model == 'A100' || has(" A ".mig) && " A ".mig == true"},
    {"the API's .string", A ".model.string == 'A100'", A ".model == 'A100'"},
    {"the API's .value", C ".memory.value.compareTo(quantity('40Gi')) >= 0",
     C ".memory.compareTo(quantity('40Gi')) >= 0"},
    {"one =", "device.driver = 'gpu.example.com'", "device.driver == 'gpu.example.com'"},
    {"AND", "device.driver == 'gpu.example.com' AND " A ".model == 'A100'",
     "device.driver == 'gpu.example.com' && " A ".model == 'A100'"},
    {"or", A ".model == 'A100' or " A ".model == 'H100'",
     A ".model == 'A100' || " A ".model == 'H100'"},
    {"not", "not (device.driver == 'x')", "!(device.driver == 'x')"},
    {"one &", A ".model == 'A100' & " A ".index == 4", A ".model == 'A100' && " A ".index == 4"},
    {"a quote that is open", A ".model == 'A100", A ".model == 'A100'"},
    {"quotes that differ", "device.attributes['gpu.example.com\"].model == 'A100'",
     A ".model == 'A100'"},
    {"curly quotes", "device.driver == \xe2\x80\x98gpu.example.com\xe2\x80\x99",
     "device.driver == 'gpu.example.com'"},
    {"a bracket that is open", "(device.driver == 'gpu.example.com'",
     "(device.driver == 'gpu.example.com')"},
    {"a domain that is misspelt", "device.attributes['gpu.exmaple.com'].model == 'A100'",
     A ".model == 'A100'"},
    {"half a domain", "device.attributes['gpu.example'].model == 'A100'", A ".model == 'A100'"},
    {"a domain with dots", "device.attributes.gpu.example.com.model == 'A100'",
     A ".model == 'A100'"},
    {"domain and name in one", "device.attributes['gpu.example.com/model'] == 'A100'",
     A ".model == 'A100'"},
    {"a name of another domain", A ".pcieRoot == 'pci0'",
     "has(device.attributes['resource.kubernetes.io'].pcieRoot) && "
     "device.attributes['resource.kubernetes.io'].pcieRoot == 'pci0'"},
    {"a function that is misspelt", A ".model.startswith('A')", A ".model.startsWith('A')"},
    {"a function of another language", A ".model.toLowerCase() == 'a100'",
     A ".model.lowerAscii() == 'a100'"},
    {"True", A ".?mig.orValue(false) == True", A ".?mig.orValue(false) == true"},
    {"double quotes are kept", "device.driver = \"gpu.example.com\"",
     "device.driver == \"gpu.example.com\""},
    {"a driver that is misspelt", "device.driver == 'gpu.exmaple.com'",
     "device.driver == 'gpu.example.com'"},
    {"a value that is misspelt", A ".model == 'a100'", A ".model == 'A100'"},
    {"a value that is another one", A ".model == 'B200'", NULL},
    {"a quote too many", "device.attributes['gpu.example.com''].model == 'A100'",
     A ".model == 'A100'"},
    {"a quote that is missing", "device.attributes[gpu.example.com'].model == 'A100'",
     A ".model == 'A100'"},
    {"a sign in the wrong place", "device.attributes['gpu.example.com'.]model == 'A100'",
     A ".model == 'A100'"},
    {"an operator with a blank in it", A ".index > = 4", A ".index >= 4"},
    {"a bracket too many", "device.attributes[['gpu.example.com'].model == 'A100'",
     A ".model == 'A100'"},
    {"what nobody can guess", "foo(bar) ++ 1", NULL},
};

static const row without_devices[] = {
    {"articles' memory", "device.attributes['memory'].compareTo(quantity('40Gi')) >= 0",
     NC ".memory.compareTo(quantity('40Gi')) >= 0"},
    {"articles' migProfile", N ".migProfile == '3g.20gb'", N ".profile == '3g.20gb'"},
    {"memory as an attribute, with an operator", N ".memory >= '40Gi'",
     NC ".memory.compareTo(quantity('40Gi')) >= 0"},
    {"a right expression of an unknown driver", "device.attributes['x.org'].foo == 1", NULL},
    {"a version by its name", "device.attributes['x.org'].firmwareVersion > '1.2'",
     "device.attributes['x.org'].firmwareVersion.isGreaterThan(semver('1.2.0'))"},
};

static void check_rows(dray_cel_adviser *adviser, dray_arena *arena, const row *rows, size_t n) {
    for (size_t i = 0; i < n; i++) {
        dray_cel_advice advice;
        dray_cel_advise(adviser, dray_str_of(rows[i].written), arena, &advice);
        if (rows[i].corrected == NULL)
            CHECK(rows[i].label, advice.corrected.p == NULL);
        else
            CHECK_STR(rows[i].label, advice.corrected, rows[i].corrected);
        if (rows[i].corrected != NULL)
            CHECK("what is corrected is told", advice.n_notes != 0);
    }
}

int main(void) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    dray_gates gates;
    dray_gates_init(&gates, DRAY_RELEASE_NEWEST);
    dray_node *root;
    dray_err err = DRAY_ERR_INIT;
    if (dray_json_parse(dray_str_of(devices_text), arena, &root, &err) != DRAY_OK)
        return 1;
    dray_cel_subject subjects[2];
    for (size_t i = 0; i < 2; i++) {
        void *body;
        if (dray_api_decode_type(&root->list.items[i], &dray_type_resource_device,
                                 DRAY_RELEASE_NEWEST, arena, NULL, &body, &err) != DRAY_OK)
            return 1;
        subjects[i] = (dray_cel_subject){DRAY_STR("gpu.example.com"), body};
    }
    dray_cel_question question = {.celk8s = dray_celk8s_new(NULL), .gates = &gates};
    dray_cel_adviser *adviser = dray_cel_adviser_new(arena, &question);
    check_rows(adviser, arena, without_devices, DRAY_COUNT(without_devices));
    dray_cel_adviser_free(adviser);
    question.devices = subjects;
    question.n_devices = 2;
    adviser = dray_cel_adviser_new(arena, &question);
    check_rows(adviser, arena, with_devices, DRAY_COUNT(with_devices));
    CHECK_INT("devices with an attribute are counted",
              (int64_t)dray_cel_adviser_count(adviser, false, DRAY_STR("gpu.example.com"),
                                              DRAY_STR("mig")),
              1);
    dray_cel_adviser_free(adviser);
    dray_celk8s_free(question.celk8s);
    return tap_end();
}
